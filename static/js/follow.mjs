/** The part of the window, from the top, in which the spoken word is kept. */
const TOP = 0.25;
const BOTTOM = 0.75;
/** The longest that one of our own scrolls takes, where its end is not told. */
const OWN_MS = 1500;
const KEYS = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"]);

/** Keeps the spoken word in view, until the reader scrolls: then only the button brings them back. */
export class Follow {
  #button;
  #following = true;
  #ownUntil = 0;
  #stop = new AbortController();

  /** @param {HTMLButtonElement} button shown while what is spoken is out of the reader's sight */
  constructor(button) {
    this.#button = button;
    const options = { signal: this.#stop.signal, passive: true };
    addEventListener("wheel", () => this.#leave(), options);
    addEventListener("touchmove", () => this.#leave(), options);
    addEventListener("keydown", ({ key }) => KEYS.has(key) && this.#leave(), options);
    // A dragged scroll bar shows itself only by this.
    addEventListener("scroll", () => performance.now() > this.#ownUntil && this.#leave(), options);
    addEventListener("scrollend", () => (this.#ownUntil = 0), options);
  }

  /** Brings the word into view, a line at a time, if the reader has not gone elsewhere. */
  keep(word) {
    const { top, bottom } = word.getBoundingClientRect();
    const seen = top >= innerHeight * TOP * 0.7 && bottom <= innerHeight * BOTTOM;
    this.#button.hidden = this.#following || (top >= 0 && bottom <= innerHeight);
    if (seen || !this.#following) return;
    this.#ownUntil = performance.now() + OWN_MS;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    scrollTo({ top: scrollY + top - innerHeight * TOP, behavior: calm ? "instant" : "smooth" });
  }

  /** @param {Element | null} word to go to at once; null: the next one that is lit */
  resume(word) {
    this.#following = true;
    this.#button.hidden = true;
    if (word) this.keep(word);
  }

  stop() {
    this.#stop.abort();
  }

  #leave() {
    this.#following = false;
  }
}
