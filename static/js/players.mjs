/**
 * One small interface for everything that plays:
 *
 *   load(media, at)  what play() will play, from second `at`; nothing sounds
 *   play(at?)        from `at`, else from where it stands
 *   pause()  seek(at)  time  rate  close()
 *
 * and it tells its `listener`: onTime(seconds), onState("loading" | "playing" | "paused" | "blocked" | "ended"),
 * onFault(code). The last request wins, however early it comes.
 */

/** Closer than this to the wanted second counts as there. */
const THERE = 0.01;

export class AudioPlayer {
  #audio;
  #listener;
  #pending = null; // the second to be reached before anything sounds
  #turn = 0;
  #frame = 0;
  #stop = new AbortController();

  /** @param {HTMLElement} stage holds an <audio>, whose own controls work without this script */
  constructor(stage, listener) {
    this.#listener = listener;
    this.#audio = stage.querySelector("audio");
    this.#audio.controls = false;
    this.#listen("playing", () => {
      this.#listener.onState("playing");
      this.#watch();
    });
    this.#listen("pause", () => this.#listener.onState(this.#audio.ended ? "ended" : "paused"));
    this.#listen("waiting", () => this.#listener.onState("loading"));
    this.#listen("seeked", () => this.#tell());
    // Frames stop in a hidden tab, and the clip's end must be honoured there too.
    this.#listen("timeupdate", () => this.#tell());
    this.#listen("error", () => this.#audio.error && this.#listener.onFault(`media ${this.#audio.error.code}`));
  }

  load({ src }, at) {
    this.#pending = at;
    const turn = (this.#turn += 1);
    const held = this.#audio.getAttribute("src") === src && this.#audio.readyState > HTMLMediaElement.HAVE_NOTHING;
    if (held) {
      this.#audio.pause();
    } else {
      // Also drops the #t= fragment that plays the clip without this script: its end would stop later listening.
      this.#audio.preload = "metadata";
      this.#audio.src = src;
    }
    this.#reach(turn).catch(() => {});
  }

  async play(at = this.#pending) {
    this.#pending = at;
    const turn = (this.#turn += 1);
    try {
      // Not awaited without need: phones allow sound only in the very turn of the tap.
      if (at !== null) await this.#reach(turn);
      if (turn === this.#turn) await this.#audio.play();
    } catch (error) {
      if (turn !== this.#turn) return;
      if (error.name === "NotAllowedError") this.#listener.onState("blocked");
      else if (error.name === "NotSupportedError") this.#listener.onFault("media 4");
      else if (error.name !== "AbortError") throw error;
    }
  }

  pause() {
    this.#turn += 1;
    this.#audio.pause();
  }

  seek(at) {
    this.#pending = at;
    this.#reach(this.#turn).catch(() => {});
  }

  get time() {
    return this.#pending ?? this.#audio.currentTime;
  }

  set rate(rate) {
    this.#audio.defaultPlaybackRate = rate;
    this.#audio.playbackRate = rate;
  }

  close() {
    this.#turn += 1;
    this.#stop.abort();
    cancelAnimationFrame(this.#frame);
    this.#audio.pause();
  }

  /** Resolves when the audio stands at the pending second, or when a later request has taken over. */
  async #reach(turn) {
    const audio = this.#audio;
    if (audio.readyState < HTMLMediaElement.HAVE_METADATA) {
      await this.#once("loadedmetadata");
      if (turn !== this.#turn) return;
    }
    const at = this.#pending;
    if (at === null) return;
    if (audio.seeking || Math.abs(audio.currentTime - at) >= THERE) {
      audio.currentTime = at;
      await this.#once("seeked");
    }
    if (this.#pending === at) this.#pending = null;
  }

  #once(event) {
    return new Promise((resolve, reject) => {
      const done = new AbortController();
      const settle = (act) => {
        done.abort();
        act();
      };
      this.#audio.addEventListener(event, () => settle(resolve), { signal: done.signal });
      const failed = () => settle(() => reject(new DOMException("The audio did not load.", "AbortError")));
      this.#audio.addEventListener("error", failed, { signal: done.signal });
    });
  }

  #listen(event, then) {
    this.#audio.addEventListener(event, then, { signal: this.#stop.signal });
  }

  #watch() {
    cancelAnimationFrame(this.#frame);
    const tick = () => {
      this.#tell();
      if (!this.#audio.paused) this.#frame = requestAnimationFrame(tick);
    };
    tick();
  }

  #tell() {
    this.#listener.onTime(this.#audio.currentTime);
  }
}

/** @param {"audio" | "youtube"} kind */
export async function playerFor(kind, stage, listener) {
  if (kind === "audio") return new AudioPlayer(stage, listener);
  const { YouTubePlayer } = await import("./youtube.mjs");
  return new YouTubePlayer(stage, listener);
}
