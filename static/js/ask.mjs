/** Asks without leaving the page: fetches the same answer that the address shows, and puts it in its place. */
export class Desk {
  #root;
  #answer;
  #status;
  #input;
  #request = null;
  #shown = location.pathname + location.search;

  /** @param {HTMLElement} root holds the ask box and the place of the answer */
  constructor(root) {
    this.#root = root;
    this.#answer = root.querySelector("[data-answer]");
    this.#status = root.querySelector("[data-status]");
    this.#input = root.querySelector("[data-ask] input");
    root.addEventListener("submit", (event) => this.#submit(event));
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("qa-fault", () => this.#offerNext());
    addEventListener("popstate", () => this.#back());
  }

  get clip() {
    return this.#answer.querySelector("qa-clip");
  }

  focus() {
    this.#input.focus();
    this.#input.select();
  }

  /** Goes `step` answers on, in the order of their rank. */
  go(step) {
    const rank = Number(this.clip?.getAttribute("rank") ?? -1);
    const links = [...this.#answer.querySelectorAll("a[data-rank]")];
    const ahead = links.filter((link) => (Number(link.dataset.rank) - rank) * step > 0);
    ahead.sort((one, other) => (Number(one.dataset.rank) - Number(other.dataset.rank)) * step);
    ahead[0]?.click();
  }

  /** A changed #place alone is no other answer. */
  #back() {
    if (location.pathname + location.search !== this.#shown) this.#open(location.href, { play: false });
  }

  #submit(event) {
    const form = event.target.closest("[data-ask]");
    if (!form) return;
    event.preventDefault();
    const question = this.#input.value.trim();
    if (question) this.#open(`${form.action}?${new URLSearchParams({ q: question })}`, { play: true, push: true });
  }

  #click(event) {
    const link = event.target.closest("a[data-moment], a[data-question]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.#open(link.href, { play: true, push: true });
  }

  async #open(address, { play, push = false }) {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    const url = new URL(address);
    if (push) history.pushState(null, "", url);
    this.#shown = url.pathname + url.search;
    this.#input.value = url.searchParams.get("q") ?? "";
    const empty = !url.searchParams.get("q") && !url.searchParams.get("v");
    document.body.toggleAttribute("data-answered", !empty);
    if (empty) {
      this.#answer.replaceChildren();
      return;
    }
    this.#busy(true);
    try {
      const html = await this.#fetch(url, request.signal);
      this.#swap(new DOMParser().parseFromString(html, "text/html").body);
      if (play) this.clip?.play();
    } catch (error) {
      if (error.name === "AbortError") return;
      this.#unreachable(url);
    }
    if (request === this.#request) this.#busy(false);
  }

  async #fetch(url, signal) {
    const part = new URL(url);
    part.searchParams.set("fragment", "1");
    part.hash = "";
    const response = await fetch(part, { signal, headers: { Accept: "text/html" } });
    return response.text();
  }

  /** A clip that can become the next one stays where it is: a moved or new player may have to ask for leave to sound. */
  #swap(next) {
    const kept = this.clip;
    const clip = next.querySelector("qa-clip");
    if (kept && clip && kept.adopt(clip)) {
      for (const child of [...this.#answer.children]) if (child !== kept) child.remove();
      let before = true;
      for (const child of [...next.children]) {
        if (child === clip) before = false;
        else if (before) kept.before(child);
        else this.#answer.append(child);
      }
    } else {
      this.#answer.replaceChildren(...next.children);
    }
    const title = this.#answer.querySelector("[data-title]")?.dataset.title;
    if (title) document.title = title;
    const head = this.#answer.querySelector("h1");
    head?.focus({ preventScroll: true });
    if (head && head.getBoundingClientRect().top < 0) head.scrollIntoView();
    this.#status.textContent = this.clip ? "The answer is here." : "";
  }

  #busy(busy) {
    this.#answer.setAttribute("aria-busy", String(busy));
    this.#root.toggleAttribute("data-busy", busy);
    if (busy) this.#status.textContent = "Looking through the recordings …";
  }

  #unreachable(url) {
    const problem = document.createElement("section");
    problem.className = "problem";
    const text = document.createElement("p");
    text.textContent = "The site cannot be reached. ";
    const again = document.createElement("a");
    again.href = url;
    again.dataset.question = "";
    again.textContent = "Ask again";
    text.append(again);
    problem.append(text);
    this.#answer.replaceChildren(problem);
    this.#status.textContent = text.textContent;
  }

  /** Beside the words and the link that a broken player leaves: the next moment. */
  #offerNext() {
    const next = this.#answer.querySelector("a[data-rank]");
    const notice = this.clip?.querySelector("[data-part=fault]");
    if (!next || !notice || notice.querySelector("[data-next]")) return;
    const link = document.createElement("a");
    link.href = next.href;
    link.dataset.moment = "";
    link.dataset.next = "";
    link.textContent = "Play the next moment";
    notice.append(link);
  }
}
