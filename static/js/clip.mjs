import { Cursor } from "./cursor.mjs";
import { Deck } from "./deck.mjs";
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

/** The speed, kept from page to page. Storage may be refused; then it lasts as long as the page. */
function remember(rate) {
  try {
    localStorage.setItem("rate", rate);
  } catch {
    // nothing is lost but the memory
  }
}

function remembered() {
  try {
    const rate = Number(localStorage.getItem("rate"));
    return RATES.includes(rate) ? rate : 1;
  } catch {
    return 1;
  }
}

/**
 * <qa-clip kind src video start end [bounded] [follow]>: a moment of a recording with its words. What it holds works
 * as plain links and controls; connected, it plays by itself, lights words and keeps the clip's end.
 */
export class QaClip extends HTMLElement {
  #coming = null; // of the player
  #player = null;
  #deck = null;
  #lighting = new Lighting(null);
  #cursor = null;
  #follow = null;
  #onward = false; // the visitor wants to hear more than the clip
  #time = 0;
  #rate = 1;

  connectedCallback() {
    this.#rate = remembered();
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

  /** From second `at`, else from where it stands; a clip that has ended starts again. */
  async play(at) {
    const player = await this.#ready();
    if (!player) return;
    const from = at ?? (this.dataset.state === "finished" ? this.#start : undefined);
    this.#leaves(from);
    this.#fault(null);
    this.#follow?.resume(null);
    player.play(from);
  }

  async toggle() {
    if (this.playing || this.dataset.state === "loading") (await this.#ready())?.pause();
    else await this.play();
  }

  async seek(at) {
    const player = await this.#ready();
    const second = Math.max(0, at);
    this.#leaves(second);
    if (this.dataset.state === "finished") this.#state("paused");
    player?.seek(second);
    this.#show(second);
    this.#follow?.resume(this.#lighting.near(second));
  }

  skip(seconds) {
    return this.seek(this.#time + seconds);
  }

  /** @param {number} steps along the speeds; past the ends it stays */
  faster(steps) {
    const place = RATES.indexOf(this.#rate) + steps;
    this.#setRate(RATES[Math.min(RATES.length - 1, Math.max(0, place))]);
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
    this.#cursor?.stop();
    const words = this.#part("words");
    this.#cursor = words && this.getAttribute("kind") ? new Cursor(words) : null;
    this.#follow?.stop();
    this.#follow = this.hasAttribute("follow") ? new Follow(this.querySelector("[data-do=follow]")) : null;
    const deck = this.#part("deck");
    const label = this.getAttribute("label");
    this.#deck = deck && new Deck(deck, { label, onSeek: (at) => this.seek(at) });
    this.#deck?.rate(this.#rate);
    this.classList.add("scripted");
    for (const button of this.querySelectorAll("[data-do=copy]")) button.hidden = false;
  }

  #load() {
    this.#onward = !this.hasAttribute("bounded");
    this.#state("cued");
    this.#show(this.#start);
    const media = { src: this.getAttribute("src"), video: this.getAttribute("video") };
    this.#ready().then((player) => player?.load(media, this.#start));
  }

  /** The player, made once; null where there is nothing to play. */
  #ready() {
    this.#coming ??= this.#make();
    return this.#coming;
  }

  async #make() {
    const kind = this.getAttribute("kind");
    if (!kind) return null;
    const player = await playerFor(kind, this.#part("stage"), {
      onTime: (time) => this.#tick(time),
      onState: (state) => this.#state(state),
      onFault: (code) => this.#fault(code),
    });
    if (!this.isConnected) return null;
    player.rate = this.#rate;
    this.#player = player;
    return player;
  }

  #tick(time) {
    this.#show(time);
    if (!this.#onward && this.playing && time >= this.#end) {
      this.#state("finished");
      this.#player.pause();
    }
  }

  /** Whoever goes past the clip's end wants to hear what is there. */
  #leaves(at) {
    if (at !== undefined && at >= this.#end) this.#onward = true;
    else if (at !== undefined && this.hasAttribute("bounded")) this.#onward = false;
  }

  #show(time) {
    this.#time = time;
    // Asked for its place before anything is changed: afterwards the page would have to be laid out to tell it.
    const coming = this.playing ? this.#lighting.coming(time) : null;
    if (coming) this.#follow?.keep(coming);
    this.#lighting.show(time);
    this.#deck?.at(time);
  }

  #state(state) {
    // The pause that ends a clip is told after the clip was called finished.
    if (state === "paused" && this.dataset.state === "finished" && this.#time >= this.#end) return;
    this.dataset.state = state;
    this.#deck?.state(state);
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

  #setRate(rate) {
    this.#rate = rate;
    remember(rate);
    if (this.#player) this.#player.rate = rate;
    this.#deck?.rate(rate);
  }

  #onClick = (event) => {
    const moment = event.target.closest("[data-times] span, [data-at]");
    if (moment && this.getAttribute("kind") && getSelection().isCollapsed) {
      event.preventDefault();
      this.play(moment.dataset.at === undefined ? this.#lighting.startOf(moment) : Number(moment.dataset.at));
      return;
    }
    const doing = event.target.closest("[data-do]");
    if (!doing || (doing.href && (event.ctrlKey || event.metaKey || event.shiftKey))) return;
    event.preventDefault();
    this.#do(doing);
  };

  #do(control) {
    const acts = {
      toggle: () => this.toggle(),
      earlier: () => this.skip(-10),
      rate: () => this.#setRate(RATES[(RATES.indexOf(this.#rate) + 1) % RATES.length]),
      onward: () => this.play(this.#end),
      follow: () => this.#follow.resume(this.#lighting.near(this.#time)),
      share: () => this.#copy(control, new URL(control.getAttribute("href"), location.href).href),
      copy: () => this.#copy(control, this.#citation(control)),
    };
    acts[control.dataset.do]();
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
      prompt("Copy this:", text); // without the clipboard it is there to be taken by hand
    }
    setTimeout(() => (control.textContent = before), 1600);
  }
}

customElements.define("qa-clip", QaClip);
