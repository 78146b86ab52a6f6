/** Seconds that a note names run down in its words; after that it offers to ask again. */
export function countDown(root, { clock = () => performance.now(), every = setInterval, stop = clearInterval } = {}) {
  for (const note of root.querySelectorAll("[data-wait]:not([data-counting])")) {
    const words = note.querySelector("[data-waiting]");
    const text = words.textContent;
    const seconds = Number(note.dataset.wait);
    const until = clock() + seconds * 1000;
    note.dataset.counting = "";
    const timer = every(() => {
      const left = Math.max(0, Math.ceil((until - clock()) / 1000));
      words.textContent = remaining(text, seconds, left);
      if (left && note.isConnected) return;
      stop(timer);
      words.hidden = true;
      note.querySelector("[data-waited]").hidden = false;
    }, 250);
  }
}

/** "busy for another 20 s" with `left` in place of the 20. */
export function remaining(text, seconds, left) {
  return text.replace(`${seconds} s`, `${left} s`);
}
