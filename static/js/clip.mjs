import { Follow } from "./follow.mjs";
import { Lighting } from "./lighting.mjs";
import { playerFor } from "./players.mjs";
import { report } from "./report.mjs";

const RATES = [0.75, 1, 1.25, 1.5, 1.75, 2];
const FAULTS = {
  2: "YouTube did not accept this video's address.",
  5: "YouTube's player failed.",
  15: "YouTube does not play inside this page.",
  100: "This video was removed or made private.",
  101: "The owner of this video lets it play on YouTube only.",
  150: "The owner of this video lets it play on YouTube only.",
  153: "YouTube does not play inside this page.",
  silent: "YouTube's player does not answer.",
  media: "The recording could not be loaded.",
};

/** 0:12, 59:59, 1:02:05 */
export function timestamp(time) {
  const whole = Math.max(0, Math.floor(time));
  const [hour, minute, second] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hour ? `${hour}:${two(minute)}:${two(second)}` : `${minute}:${two(second)}`;
}

function remembered(rate) {
  try {
    if (rate === undefined) return Number(localStorage.getItem("rate")) || 1;
    localStorage.setItem("rate", rate);
  } catch {
    // Storage may be refused; then the speed lasts as long as the page.
  }
  return rate ?? 1;
}

/**
 * <qa-clip kind src video start end [bounded] [follow]>: a moment of a recording with its words. What it holds works
 * as plain links and controls; connected, it plays by itself, lights words and keeps the clip's end.
 */
export class QaClip extends HTMLElement {
  #player = null;
  #coming = null;
  #lighting = new Lighting(null);
  #follow = null;
  #onward = false;
  #time = 0;

  connectedCallback() {
    this.addEventListener("click", this.#onClick);
    this.#wire();
    this.#load();
  }

  disconnectedCallback() {
    this.removeEventListener("click", this.#onClick);
    this.#player?.close();
    this.#follow?.stop();
    this.#player = this.#coming = null;
  }

  /**
   * Becomes `next`, a clip of the same kind, and keeps the player: once a visitor has let it sound, it may go on.
   * Returns false, with nothing changed, where the player cannot be kept.
   */
  adopt(next) {
    const kind = this.getAttribute("kind");
    if (!kind || next.getAttribute("kind") !== kind) return false;
    for (const { name } of [...this.attributes]) if (!next.hasAttribute(name)) this.removeAttribute(name);
    for (const { name, value } of next.attributes) this.setAttribute(name, value);
    const stage = this.#part("stage");
    for (const child of [...this.children]) if (child !== stage) child.remove();
    for (const child of [...next.children]) if (child.dataset.part !== "stage") this.append(child);
    this.#wire();
    this.#load();
    return true;
  }

  get playing() {
    return this.dataset.state === "playing";
  }

  async play(at) {
    const player = await this.#ready();
    if (!player) return;
    if (at === undefined && this.dataset.state === "finished") at = this.#start;
    this.#fault(null);
    player.play(at);
  }

  async toggle() {
    if (this.playing || this.dataset.state === "loading") (await this.#ready())?.pause();
    else await this.play();
  }

  async seek(at) {
    const player = await this.#ready();
    const second = Math.max(0, at);
    if (this.dataset.state === "finished") player?.play(second);
    else player?.seek(second);
    this.#show(second);
  }

  skip(seconds) {
    return this.seek(this.#time + seconds);
  }

  faster(steps) {
    const place = RATES.indexOf(remembered()) + steps;
    this.#rate(RATES[Math.min(RATES.length - 1, Math.max(0, place))]);
  }

  get #start() {
    return Number(this.getAttribute("start"));
  }

  get #end() {
    return Number(this.getAttribute("end"));
  }

  #part(name) {
    return this.querySelector(`[data-part=${name}]`);
  }

  #wire() {
    this.#lighting = new Lighting(this.#part("words"));
    this.#follow?.stop();
    this.#follow = this.hasAttribute("follow") ? new Follow(this.querySelector("[data-do=follow]")) : null;
    const deck = this.#part("deck");
    if (deck) deck.hidden = false;
    this.classList.add("scripted");
    for (const button of this.querySelectorAll("[data-do=copy]")) button.hidden = false;
    const ruler = this.#part("ruler");
    ruler?.addEventListener("pointerdown", (event) => this.#drag(event));
    ruler?.addEventListener("keydown", (event) => this.#nudge(event));
  }

  #load() {
    this.#onward = false;
    this.#state("cued");
    this.#show(this.#start);
    this.#ready().then((player) =>
      player?.load({ src: this.getAttribute("src"), video: this.getAttribute("video") }, this.#start),
    );
  }

  /** The player, made once; null where there is nothing to play. */
  #ready() {
    const kind = this.getAttribute("kind");
    this.#coming ??= !kind
      ? Promise.resolve(null)
      : playerFor(kind, this.#part("stage"), {
          onTime: (time) => this.#tick(time),
          onState: (state) => this.#state(state),
          onFault: (code) => this.#fault(code),
        }).then((player) => {
          if (!this.isConnected) return null;
          this.#player = player;
          this.#rate(remembered());
          return player;
        });
    return this.#coming;
  }

  #tick(time) {
    this.#show(time);
    if (this.hasAttribute("bounded") && !this.#onward && this.playing && time >= this.#end) {
      this.#state("finished");
      this.#player.pause();
    }
  }

  #show(time) {
    this.#time = time;
    const lit = this.#lighting.show(time);
    if (lit) this.#follow?.keep(lit);
    const now = this.#part("now");
    const stamp = timestamp(time);
    if (!now || now.textContent === stamp) {
      this.#needle(time);
      return;
    }
    now.textContent = stamp;
    const ruler = this.#part("ruler");
    ruler.setAttribute("aria-valuenow", Math.round(Math.min(this.#end, Math.max(this.#start, time))));
    ruler.setAttribute("aria-valuetext", stamp);
    this.#needle(time);
  }

  #needle(time) {
    const part = (time - this.#start) / Math.max(0.001, this.#end - this.#start);
    const at = String(Math.min(1, Math.max(0, part)));
    const ruler = this.#part("ruler");
    ruler?.style.setProperty("--at", at);
    for (const stop of ruler?.querySelectorAll("stop") ?? []) stop.setAttribute("offset", at);
  }

  #state(state) {
    // The pause that ends a clip is told after the clip was called finished.
    if (state === "paused" && this.dataset.state === "finished") return;
    this.dataset.state = state;
    const button = this.querySelector(".play");
    if (button) {
      const verb = state === "playing" || state === "loading" ? "Pause" : state === "finished" ? "Play again" : "Play";
      button.setAttribute("aria-label", `${verb}: ${this.getAttribute("label")}`);
    }
    const onward = this.querySelector("[data-do=onward]");
    if (onward) onward.hidden = state !== "finished";
    if (state === "finished" || state === "ended") this.#lighting.clear();
  }

  /** @param {string | null} code null: all is well again */
  #fault(code) {
    const notice = this.#part("fault");
    if (!notice) return;
    notice.hidden = code === null;
    if (code === null) return;
    this.#state("failed");
    this.#part("fault-text").textContent = FAULTS[code] ?? FAULTS[code.split(" ")[0]] ?? "The player failed.";
    report(this, code);
    this.dispatchEvent(new CustomEvent("qa-fault", { bubbles: true, detail: { code } }));
  }

  #rate(rate) {
    remembered(rate);
    if (this.#player) this.#player.rate = rate;
    const shown = this.#part("rate");
    if (shown) shown.textContent = `${rate}×`;
  }

  #onClick = (event) => {
    const word = event.target.closest("[data-times] span");
    if (word && getSelection().isCollapsed) {
      const at = this.#lighting.startOf(word);
      if (at !== null && this.getAttribute("kind")) this.play(at);
      return;
    }
    const doing = event.target.closest("[data-do]");
    const acts = {
      toggle: () => this.toggle(),
      earlier: () => this.skip(-10),
      rate: () => this.#rate(RATES[(RATES.indexOf(remembered()) + 1) % RATES.length]),
      onward: () => this.#keepListening(),
      follow: () => this.#follow?.resume(this.#lighting.near(this.#time)),
      share: () => this.#copy(doing, new URL(doing.getAttribute("href"), location.href).href),
      copy: () => this.#copy(doing, this.#citation(doing)),
    };
    const act = doing && acts[doing.dataset.do];
    if (!act || (doing.href && (event.ctrlKey || event.metaKey || event.shiftKey))) return;
    event.preventDefault();
    act();
  };

  #keepListening() {
    this.#onward = true;
    this.#state("paused");
    this.play();
  }

  #citation(button) {
    const quote = this.#part("words").textContent.trim();
    const link = new URL(this.getAttribute("page"), location.href).href;
    return `“${quote}”\n— ${button.dataset.cite}\n${link}`;
  }

  async #copy(control, text) {
    const before = control.textContent;
    try {
      await navigator.clipboard.writeText(text);
      control.textContent = "Copied";
    } catch {
      // Without the clipboard the text is there to be taken by hand.
      prompt("Copy this:", text);
    }
    setTimeout(() => (control.textContent = before), 1600);
  }

  #drag(event) {
    const ruler = event.currentTarget;
    const seek = ({ clientX }) => {
      const box = ruler.getBoundingClientRect();
      const part = Math.min(1, Math.max(0, (clientX - box.left) / box.width));
      this.seek(this.#start + part * (this.#end - this.#start));
    };
    ruler.setPointerCapture(event.pointerId);
    ruler.addEventListener("pointermove", seek);
    ruler.addEventListener("lostpointercapture", () => ruler.removeEventListener("pointermove", seek), { once: true });
    seek(event);
  }

  #nudge(event) {
    const steps = { ArrowLeft: -2, ArrowDown: -2, ArrowRight: 2, ArrowUp: 2, PageDown: -10, PageUp: 10 };
    const targets = { Home: this.#start, End: this.#end - 2 };
    const at = event.key in steps ? this.#time + steps[event.key] : targets[event.key];
    if (at === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.seek(Math.max(this.#start, at));
  }
}

customElements.define("qa-clip", QaClip);
