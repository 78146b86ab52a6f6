// Plays YouTube's part: keeps the promises of its player, records what it is asked, and fails as window.scenario says:
//   error: 101       tells that error when it is asked to play
//   silent: true     never says anything
//   blocked: true    the browser refuses sound: nothing plays, and onAutoplayBlocked is told
//   stuck: true      the same without telling
//   readyAfter: ms   how long the player takes to come
//   early: seconds   the first seek lands that much before the wanted second, on a keyframe
//   failsFor: [ids]  with error: only these videos fail
//   goneAt: a call   the clip leaves the page as soon as it has made that call
window.calls = [];
window.players = [];

function asked(...call) {
  window.calls.push(call);
  if (call[0] !== window.scenario.goneAt) return;
  window.gone = document.querySelector("qa-clip");
  queueMicrotask(() => window.gone.remove());
}

class Player {
  constructor(frame, { events }) {
    this.frame = frame;
    this.events = events;
    const address = new URL(frame.src);
    this.video = address.pathname.split("/").pop();
    this.at = Number(address.searchParams.get("start") ?? 0);
    this.since = null;
    this.rate = 1;
    this.state = -1;
    this.early = window.scenario.early ?? 0;
    window.players.push(this);
    asked("new", this.video, this.at);
    if (window.scenario.silent) return;
    setTimeout(() => events.onReady({ target: this }), window.scenario.readyAfter ?? 20);
  }

  tell(state) {
    this.state = state;
    this.events.onStateChange({ data: state, target: this });
  }

  begin() {
    const { error, failsFor, blocked, stuck } = window.scenario;
    if (error && (!failsFor || failsFor.includes(this.video))) {
      setTimeout(() => this.events.onError({ data: error, target: this }), 20);
    } else if (blocked) {
      setTimeout(() => this.events.onAutoplayBlocked?.({ target: this }), 20);
    } else if (!stuck) {
      setTimeout(() => this.tell(3), 10);
      setTimeout(() => {
        this.since = performance.now();
        this.tell(1);
      }, 60);
    }
  }

  playVideo() {
    asked("play");
    this.begin();
  }

  pauseVideo() {
    asked("pause");
    this.at = this.getCurrentTime();
    this.since = null;
    this.tell(2);
  }

  loadVideoById({ videoId, startSeconds }) {
    asked("load", videoId, startSeconds);
    this.video = videoId;
    this.at = Math.floor(startSeconds);
    this.since = null;
    this.begin();
  }

  seekTo(at, allowed) {
    asked("seek", at, allowed);
    this.at = at - this.early;
    this.early = 0;
    if (this.since !== null) this.since = performance.now();
  }

  getCurrentTime() {
    return this.since === null ? this.at : this.at + ((performance.now() - this.since) / 1000) * this.rate;
  }

  getPlayerState() {
    return this.state;
  }

  setPlaybackRate(rate) {
    this.rate = rate;
  }

  destroy() {}
}

window.YT = { Player, PlayerState: { UNSTARTED: -1, ENDED: 0, PLAYING: 1, PAUSED: 2, BUFFERING: 3, CUED: 5 } };
window.onYouTubeIframeAPIReady();
