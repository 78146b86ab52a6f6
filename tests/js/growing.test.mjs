import assert from "node:assert/strict";
import { test } from "node:test";

import { countDown, remaining } from "../../static/js/countdown.mjs";
import { MORE, growing } from "../../static/js/growing.mjs";

/** A body that comes in these pieces, each cut into bytes anywhere. */
function body(...pieces) {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
      controller.close();
    },
  });
}

async function told(...pieces) {
  const parts = [];
  for await (const html of growing(body(...pieces))) parts.push(html);
  return parts;
}

test("a page without marks is told once, whole", async () => {
  assert.deepEqual(await told("<p>on", "e</p>"), ["<p>one</p>"]);
});

test("what is told is whole up to a mark, and grows", async () => {
  const first = `<p>one${MORE}`;
  assert.deepEqual(await told(first, `two${MORE}thr`, "ee</p>"), [
    first,
    `${first}two${MORE}`,
    `${first}two${MORE}three</p>`,
  ]);
});

test("a mark and a letter that are cut in two are put together", async () => {
  const bytes = new TextEncoder().encode(`é${MORE}ü`);
  assert.deepEqual(await told(bytes.slice(0, 1), bytes.slice(1, 6), bytes.slice(6, -1), bytes.slice(-1)), [
    `é${MORE}`,
    `é${MORE}ü`,
  ]);
});

test("seconds run down in their words, and in no others", () => {
  assert.equal(remaining("busy for another 20 s. 20 people", 20, 3), "busy for another 3 s. 20 people");
});

test("a note counts down once and then offers to ask again", () => {
  const words = { textContent: "Please wait 2 s.", hidden: false };
  const waited = { hidden: true };
  const note = {
    dataset: { wait: "2" },
    isConnected: true,
    querySelector: (name) => (name === "[data-waiting]" ? words : waited),
  };
  const notes = [note];
  let now = 0;
  let tick;
  let stopped = 0;
  const clock = { clock: () => now, every: (act) => (tick = act), stop: () => stopped++ };
  countDown({ querySelectorAll: () => notes }, clock);
  now = 1100;
  tick();
  assert.equal(words.textContent, "Please wait 1 s.");
  assert.equal(waited.hidden, true);
  now = 2100;
  tick();
  assert.equal(words.hidden, true);
  assert.equal(waited.hidden, false);
  assert.equal(stopped, 1);
});
