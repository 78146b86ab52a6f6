import { countDown } from "./countdown.mjs";
import { grow, growing } from "./growing.mjs";

const MOST_TURNS = 4;

/** Asks without leaving the page: fetches the same answer that the address shows, and puts it in its place. */
export class Desk {
  #root;
  #answer;
  #status;
  #input;
  #request = null;
  #hearing = null;
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
    countDown(this.#answer);
    addEventListener("DOMContentLoaded", () => countDown(this.#answer)); // a text may still be on its way
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
    if (!question) return;
    const turns = this.#turns();
    const address = `${form.action}?${new URLSearchParams({ q: question })}`;
    this.#open(address, { play: true, push: true, turns, asked: turns });
  }

  #click(event) {
    const link = event.target.closest("a[data-moment], a[data-question], a[data-mode], a[data-cite], a[data-again]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const before = this.#before;
    if (link.dataset.cite !== undefined) this.#hear(link);
    // What was not answered may lean on what was asked before.
    else if ("again" in link.dataset) this.#open(link.href, { play: true, turns: before, asked: before });
    // The question of a link stands alone; one to try begins anew.
    else this.#open(link.href, { play: true, push: true, turns: "question" in link.dataset ? [] : before });
  }

  /** What was asked before the question that is shown; kept with the page's address, but not in it. */
  get #before() {
    return history.state?.turns ?? [];
  }

  /** What the next question may refer to. */
  #turns() {
    const question = this.#answer.querySelector("[data-asked]")?.dataset.asked;
    if (!question) return this.#before; // nothing is answered here: a question that failed is no turn
    const turn = { question };
    if (this.clip) turn.video_id = this.clip.getAttribute("recording");
    return [...this.#before, turn].slice(-MOST_TURNS);
  }

  /** Plays what a number of the text points at; the text stays, and goes on where it is still being written. */
  async #hear(link) {
    this.#hearing?.abort();
    const request = (this.#hearing = new AbortController());
    const url = new URL(link.href);
    url.searchParams.delete("q");
    try {
      const response = await this.#fetch(url, request.signal);
      const next = parsed(await response.text()).querySelector("qa-clip");
      if (!next || !this.clip) return void location.assign(link.href);
      if (!this.clip.adopt(next)) this.clip.replaceWith(next);
    } catch (error) {
      if (error.name !== "AbortError") location.assign(link.href);
      return;
    }
    for (const other of this.#answer.querySelectorAll("[data-cite][aria-current]")) other.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    this.#status.textContent = link.getAttribute("aria-label") ?? link.textContent;
    this.clip.scrollIntoView({ block: "nearest" });
    this.clip.play();
  }

  async #open(address, { play, push = false, turns, asked = [] }) {
    this.#request?.abort();
    this.#hearing?.abort();
    if (document.readyState === "loading") window.stop(); // of the text that this page is still getting
    const request = (this.#request = new AbortController());
    const url = new URL(address);
    if (push) history.pushState({ turns }, "", url);
    this.#shown = url.pathname + url.search;
    this.#input.value = url.searchParams.get("q") ?? "";
    const empty = !url.searchParams.get("q") && !url.searchParams.get("v");
    document.body.toggleAttribute("data-answered", !empty);
    if (empty) {
      this.#answer.replaceChildren();
      return;
    }
    this.#busy(true);
    let shown = false;
    try {
      const response = await this.#fetch(url, request.signal, asked);
      for await (const html of growing(response.body)) {
        const next = parsed(html);
        if (shown) this.#grow(next);
        else this.#swap(next);
        if (!shown && play) this.clip?.play();
        shown = true;
        if (request === this.#request) this.#busy(false);
        this.#tell();
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      if (shown) this.#broken();
      else this.#unreachable(url);
    }
    if (request === this.#request) this.#busy(false);
  }

  /** @param {object[]} turns sent with the question; without any it is asked as its address says */
  async #fetch(url, signal, turns = []) {
    const part = new URL(url);
    part.searchParams.set("fragment", "1");
    part.hash = "";
    const asked = turns.length && {
      method: "POST",
      headers: { Accept: "text/html", "Content-Type": "application/json" },
      body: JSON.stringify({ history: turns }),
    };
    return fetch(part, { signal, headers: { Accept: "text/html" }, ...asked });
  }

  /** What came since: more of the text, and what follows it. */
  #grow(next) {
    const essay = this.#answer.querySelector("[data-essay]");
    const fresh = next.querySelector("[data-essay]");
    if (!essay || !fresh) return;
    while (fresh.nextElementSibling) this.#answer.append(fresh.nextElementSibling);
    grow(essay, fresh);
    countDown(this.#answer);
  }

  /** Said once the clip is here and once all is: not sentence by sentence, over a voice that speaks already. */
  #tell() {
    const essay = this.#answer.querySelector("[data-essay]");
    const writing = essay && !essay.querySelector("[data-end]");
    const words = writing ? "The moment is here. A text from the whole archive is being written." : "The answer is here.";
    const said = this.clip ? words : "";
    if (this.#status.textContent !== said) this.#status.textContent = said;
  }

  #broken() {
    const note = document.createElement("p");
    note.className = "note";
    note.dataset.end = "";
    note.textContent = "The connection was lost before the text was finished.";
    this.#answer.querySelector("[data-essay]")?.append(note);
    this.#status.textContent = note.textContent;
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
    this.#standAlone();
    countDown(this.#answer);
    const head = this.#answer.querySelector("h1");
    head?.focus({ preventScroll: true });
    if (head && head.getBoundingClientRect().top < 0) head.scrollIntoView();
  }

  /** A follow-up that was understood gets the address of the question that says it all: to share, and to come back. */
  #standAlone() {
    const asked = this.#answer.querySelector("[data-understood]")?.dataset.asked;
    if (!asked) return;
    const url = new URL(location.href);
    url.searchParams.set("q", asked);
    history.replaceState(history.state, "", url);
    this.#shown = url.pathname + url.search;
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
    again.dataset.again = "";
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

function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html").body;
}
