/** Words by keyboard: one of them takes the focus, the arrows lead on, and Enter plays from there (as a click does). */
export class Cursor {
  #root;
  #word = null;
  #stop = new AbortController();

  /** @param {HTMLElement} root holds elements with data-times, each with a span a word */
  constructor(root) {
    this.#root = root;
    this.#move(root.querySelector("[data-times] span"));
    root.addEventListener("keydown", (event) => this.#onKey(event), { signal: this.#stop.signal });
  }

  stop() {
    this.#stop.abort();
  }

  #onKey(event) {
    if (event.target !== this.#word || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      this.#word.click();
      return;
    }
    const forwards = getComputedStyle(this.#word).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    event.stopPropagation(); // the page's own arrows move the player
    const words = [...this.#root.querySelectorAll("[data-times] span")];
    const next = words[words.indexOf(this.#word) + (event.key === forwards ? 1 : -1)];
    if (!next) return;
    this.#move(next);
    next.focus();
  }

  #move(word) {
    for (const name of ["tabindex", "role"]) this.#word?.removeAttribute(name);
    this.#word = word;
    word?.setAttribute("tabindex", "0");
    word?.setAttribute("role", "button");
  }
}
