/** Plays from YouTube. Nothing is asked of it before the first play(). The interface is that of players.mjs. */

const POLL_MS = 200;
const SILENT_MS = 6000;
const BLOCKED_MS = 1200;
const API_MS = 6000;
/** A landing further than this before the wanted second is a keyframe's; it is corrected once. */
const EARLY = 0.3;

const UNSTARTED = -1;
const ENDED = 0;
const PLAYING = 1;
const PAUSED = 2;
const BUFFERING = 3;
const CUED = 5;

let loading = null;

/** Resolves with window.YT. A failure is forgotten, so that the next play tries again. */
function loadApi(address) {
  loading ??= new Promise((resolve, reject) => {
    if (window.YT?.Player) {
      resolve(window.YT);
      return;
    }
    const before = window.onYouTubeIframeAPIReady;
    window.onYouTubeIframeAPIReady = () => {
      before?.();
      resolve(window.YT);
    };
    const script = document.createElement("script");
    script.src = address;
    script.addEventListener("error", () => reject(new Error("silent")));
    setTimeout(() => reject(new Error("silent")), API_MS);
    document.head.append(script);
  }).catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

export class YouTubePlayer {
  #stage;
  #listener;
  #loader;
  #host;
  #player = null;
  #ready = false;
  #closed = false;
  #fresh = true; // nothing was played yet, so the frame stands at its own start
  #framed = 0;
  #shown = null; // the id that the frame holds
  #wanted = { video: "", at: 0 };
  #landing = null; // the second that the next PLAYING must be brought to
  #playing = false;
  #rate = 1;
  #poll = 0;
  #watchdog = 0;
  #patience = 0;
  #tick = 0;

  constructor(stage, listener) {
    this.#stage = stage;
    this.#listener = listener;
    this.#loader = document.body.dataset.youtubeLoader;
    this.#host = document.body.dataset.youtubeHost.replace(/\/$/, "");
  }

  load({ video }, at) {
    this.#wanted = { video, at };
    if (this.#playing) this.#player.pauseVideo();
  }

  async play(at) {
    if (at !== undefined) this.#wanted.at = at;
    const again = at === undefined && this.#shown === this.#wanted.video && this.#landing === null;
    if (!again) this.#landing = this.#wanted.at;
    this.#listener.onState("loading");
    this.#guard();
    if (this.#player === null) {
      await this.#create();
      return;
    }
    if (this.#ready) this.#start(again);
  }

  pause() {
    this.#calm();
    if (this.#ready) this.#player.pauseVideo();
  }

  seek(at) {
    this.#wanted.at = at;
    if (this.#landing !== null) this.#landing = at;
    else if (this.#ready) this.#player.seekTo(at, true);
  }

  get time() {
    return this.#ready && this.#landing === null ? this.#player.getCurrentTime() : this.#wanted.at;
  }

  set rate(rate) {
    this.#rate = rate;
    if (this.#ready) this.#player.setPlaybackRate(rate);
  }

  close() {
    this.#closed = true;
    this.#calm();
    clearInterval(this.#poll);
    cancelAnimationFrame(this.#tick);
    this.#player?.destroy?.();
    this.#player = null;
    this.#ready = this.#playing = false;
  }

  /** The frame is made here and not by their script, so that it carries our referrer policy (error 153). */
  async #create() {
    const { video, at } = this.#wanted;
    this.#shown = video;
    this.#framed = Math.floor(at);
    this.#fresh = true;
    this.#player = "coming";
    const frame = document.createElement("iframe");
    frame.title = "YouTube video";
    frame.referrerPolicy = "strict-origin-when-cross-origin";
    frame.allow = "autoplay; encrypted-media; picture-in-picture; fullscreen";
    frame.allowFullscreen = true;
    const options = new URLSearchParams({
      enablejsapi: 1,
      origin: location.origin,
      start: this.#framed,
      playsinline: 1,
      rel: 0,
      iv_load_policy: 3,
    });
    frame.src = `${this.#host}/embed/${encodeURIComponent(video)}?${options}`;
    let api;
    try {
      api = await loadApi(this.#loader);
    } catch {
      if (this.#closed) return;
      this.#player = null;
      this.#fail("silent");
      return;
    }
    if (this.#closed) return;
    this.#stage.replaceChildren(frame);
    // What is on its way from a frame that was closed still arrives.
    const heard = (act) => (event) => this.#closed || act(event);
    this.#player = new api.Player(frame, {
      events: {
        onReady: heard(() => {
          this.#ready = true;
          this.#player.setPlaybackRate?.(this.#rate);
          if (this.#landing !== null) this.#start(false);
        }),
        onStateChange: heard(({ data }) => this.#changed(data)),
        onError: heard(({ data }) => this.#fail(String(data))),
        onAutoplayBlocked: heard(() => this.#blocked()),
      },
    });
  }

  #start(again) {
    const { video, at } = this.#wanted;
    this.#mind();
    const framed = this.#fresh && video === this.#shown && Math.floor(at) === this.#framed;
    this.#fresh = false;
    if (again || framed) {
      this.#player.playVideo();
      return;
    }
    this.#shown = video;
    this.#player.loadVideoById({ videoId: video, startSeconds: at });
  }

  #changed(state) {
    if (state === PLAYING) {
      this.#calm();
      this.#playing = true;
      this.#listener.onFault(null);
      this.#land();
      this.#listener.onState("playing");
      this.#follow();
      return;
    }
    if (state === PAUSED || state === ENDED) {
      this.#playing = false;
      this.#listener.onState(state === ENDED ? "ended" : "paused");
    } else if (state === BUFFERING) {
      clearTimeout(this.#patience);
    }
  }

  /** At the first PLAYING the exact second is sought; if it lands on an earlier keyframe, once more. */
  #land() {
    const at = this.#landing;
    if (at === null) return;
    this.#landing = null;
    this.#player.seekTo(at, true);
    setTimeout(() => {
      const time = this.#ready ? this.#player.getCurrentTime() : at;
      if (this.#landing === null && this.#wanted.at === at && time < at - EARLY) this.#player.seekTo(at, true);
    }, 400);
  }

  /** Their clock moves a few times a second; the end of a clip is kept by the poll, also in a hidden tab. */
  #follow() {
    clearInterval(this.#poll);
    cancelAnimationFrame(this.#tick);
    const tell = () => this.#playing && this.#landing === null && this.#listener.onTime(this.#player.getCurrentTime());
    this.#poll = setInterval(() => (this.#playing ? tell() : clearInterval(this.#poll)), POLL_MS);
    const frame = () => {
      tell();
      if (this.#playing) this.#tick = requestAnimationFrame(frame);
    };
    frame();
  }

  #guard() {
    this.#calm();
    this.#watchdog = setTimeout(() => this.#fail("silent"), SILENT_MS);
  }

  /** Refused sound is not always told: a player that was asked to play and has not begun to load was refused. */
  #mind() {
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => {
      const state = this.#player.getPlayerState();
      if (state === UNSTARTED || state === CUED) this.#blocked();
    }, BLOCKED_MS);
  }

  #calm() {
    clearTimeout(this.#watchdog);
    clearTimeout(this.#patience);
  }

  #blocked() {
    this.#calm();
    this.#listener.onState("blocked");
  }

  #fail(code) {
    this.#calm();
    this.#playing = false;
    this.#listener.onFault(code);
  }
}
