/** 0:12, 59:59, 1:02:05 */
export function timestamp(time) {
  const whole = Math.max(0, Math.floor(time));
  const [hour, minute, second] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hour ? `${hour}:${two(minute)}:${two(second)}` : `${minute}:${two(second)}`;
}

/** Finer than a pixel: what does not show is not drawn, since each drawing of the ruler draws all its words. */
const STEPS_SHOWN = 2000;
const STEPS = { ArrowLeft: -2, ArrowDown: -2, ArrowRight: 2, ArrowUp: 2, PageDown: -10, PageUp: 10 };

/** The controls of a clip: shows where the player is, and lets the visitor point elsewhere. */
export class Deck {
  #root;
  #ruler;
  #needle;
  #stops;
  #now;
  #button;
  #label;
  #time = 0;
  #part = -1; // of the ruler that is played

  /** @param {HTMLElement} root in the page's markup, hidden until now */
  constructor(root, { label, onSeek }) {
    this.#root = root;
    this.#label = label;
    this.#ruler = root.querySelector("[data-part=ruler]");
    this.#needle = this.#ruler.querySelector(".needle");
    this.#stops = [...this.#ruler.querySelectorAll("stop")];
    this.#now = root.querySelector("[data-part=now]");
    this.#button = root.querySelector(".play");
    this.#ruler.addEventListener("pointerdown", (event) => this.#drag(event, onSeek));
    this.#ruler.addEventListener("keydown", (event) => this.#nudge(event, onSeek));
    root.hidden = false;
  }

  at(time) {
    this.#time = time;
    const [from, to] = this.#bounds;
    const part = Math.min(1, Math.max(0, (time - from) / Math.max(0.001, to - from)));
    this.#point(Math.round(part * STEPS_SHOWN) / STEPS_SHOWN);
    const stamp = timestamp(time);
    if (this.#now.textContent === stamp) return;
    this.#now.textContent = stamp;
    this.#ruler.setAttribute("aria-valuenow", String(Math.min(to, Math.max(from, time))));
    this.#ruler.setAttribute("aria-valuetext", stamp);
  }

  state(state) {
    const verb = { playing: "Pause", loading: "Pause", finished: "Play again" }[state] ?? "Play";
    this.#button.setAttribute("aria-label", `${verb}: ${this.#label}`);
    const onward = this.#root.querySelector("[data-do=onward]");
    if (onward) onward.hidden = state !== "finished";
  }

  rate(rate) {
    this.#root.querySelector("[data-part=rate]").textContent = `${rate}×`;
  }

  #point(part) {
    if (part === this.#part) return;
    this.#part = part;
    this.#needle.style.setProperty("--at", String(part));
    for (const stop of this.#stops) stop.setAttribute("offset", String(part));
  }

  get #bounds() {
    return [Number(this.#ruler.getAttribute("aria-valuemin")), Number(this.#ruler.getAttribute("aria-valuemax"))];
  }

  #drag(event, onSeek) {
    const ruler = this.#ruler;
    const [from, to] = this.#bounds;
    const seek = ({ clientX }) => {
      const box = ruler.getBoundingClientRect();
      onSeek(from + Math.min(1, Math.max(0, (clientX - box.left) / box.width)) * (to - from));
    };
    ruler.setPointerCapture(event.pointerId);
    ruler.addEventListener("pointermove", seek);
    ruler.addEventListener("lostpointercapture", () => ruler.removeEventListener("pointermove", seek), { once: true });
    seek(event);
  }

  #nudge(event, onSeek) {
    const [from, to] = this.#bounds;
    const at = { Home: from, End: to }[event.key] ?? this.#time + STEPS[event.key];
    if (Number.isNaN(at)) return;
    event.preventDefault();
    onSeek(Math.min(to, Math.max(from, at)));
  }
}
