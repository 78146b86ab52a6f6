import { lastBegun, parseTimes, wordAt } from "./words.mjs";

/** Lights the spoken word among the spans of a page. */
export class Lighting {
  #spans = [];
  #starts;
  #ends;
  #lit = -1;

  /** @param {ParentNode | null} root holds elements with data-times, each with a span a word */
  constructor(root) {
    const starts = [];
    const ends = [];
    for (const block of root?.querySelectorAll("[data-times]") ?? []) {
      const times = parseTimes(block.dataset.times);
      const spans = block.querySelectorAll("span");
      const count = Math.min(spans.length, times.starts.length);
      for (let index = 0; index < count; index += 1) {
        starts.push(times.starts[index]);
        ends.push(times.ends[index]);
        this.#spans.push(spans[index]);
      }
    }
    this.#starts = Float64Array.from(starts);
    this.#ends = Float64Array.from(ends);
  }

  /** The word that `show` would light, if it is another than the one that is lit now, else null. */
  coming(time) {
    const index = wordAt(this.#starts, this.#ends, time);
    return index === this.#lit ? null : (this.#spans[index] ?? null);
  }

  /** Lights the word spoken at `time`. */
  show(time) {
    const index = wordAt(this.#starts, this.#ends, time);
    if (index === this.#lit) return;
    this.#spans[this.#lit]?.classList.remove("lit");
    this.#spans[index]?.classList.add("lit");
    this.#lit = index;
  }

  clear() {
    this.#spans[this.#lit]?.classList.remove("lit");
    this.#lit = -1;
  }

  /** The word spoken at `time` or the last one before it; null before the first. */
  near(time) {
    return this.#spans[lastBegun(this.#starts, time)] ?? null;
  }

  /** When the word in `span` starts, or null if it is none of these words. */
  startOf(span) {
    const index = this.#spans.indexOf(span);
    return index < 0 ? null : this.#starts[index];
  }
}
