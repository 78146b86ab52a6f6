import assert from "node:assert/strict";
import { test } from "node:test";

import { lastBegun, parseTimes, wordAt } from "../../static/js/words.mjs";

const times = (text) => {
  const { starts, ends } = parseTimes(text);
  return (time) => wordAt(starts, ends, time);
};

test("milliseconds in pairs become seconds", () => {
  assert.deepEqual(parseTimes("0 240 240 600"), { starts: [0, 0.24], ends: [0.24, 0.6] });
  assert.deepEqual(parseTimes(""), { starts: [], ends: [] });
});

test("at a border the later word is lit, and each word holds its own start", () => {
  const at = times("1000 1500 1500 2000");
  assert.equal(at(0.999), -1);
  assert.equal(at(1), 0);
  assert.equal(at(1.499), 0);
  assert.equal(at(1.5), 1);
  assert.equal(at(1.999), 1);
  assert.equal(at(2), -1);
});

test("nothing is lit in a silence of five minutes, and the word after it is lit at once", () => {
  const at = times("0 500 300500 300700 300700 300900");
  assert.equal(at(0.6), -1);
  assert.equal(at(299), -1);
  assert.equal(at(300.5), 1);
  assert.equal(at(300.7), 2);
});

test("words with one start have their turns by their ends", () => {
  const at = times("1000 1200 1000 1400 1000 1600 1600 1800");
  assert.equal(at(1), 0);
  assert.equal(at(1.2), 1);
  assert.equal(at(1.5), 2);
  assert.equal(at(1.6), 3);
});

test("words without length are seen for a glimpse", () => {
  const at = times("1000 1000 2000 2500");
  assert.equal(at(1), 0);
  assert.equal(at(1.05), 0);
  assert.equal(at(1.2), -1);
});

test("the search agrees with looking at every word, over 30,000 words", () => {
  let clock = 0;
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const starts = [];
  const ends = [];
  for (let word = 0; word < 30000; word += 1) {
    starts.push(clock);
    const end = clock + Math.round(random() * 500) / 1000;
    ends.push(end);
    if (random() > 0.1) clock = random() > 0.3 ? end : end + random() * 2;
  }
  const slow = (time) => starts.findLastIndex((start) => start <= time);
  for (let probe = 0; probe < 300; probe += 1) {
    const time = probe % 3 ? random() * clock : starts[Math.floor(random() * starts.length)];
    assert.equal(lastBegun(starts, time), slow(time));
    const lit = wordAt(starts, ends, time);
    if (lit >= 0) assert.ok(starts[lit] <= time && time < Math.max(ends[lit], starts[lit] + 0.061));
    else assert.ok(slow(time) < 0 || time >= ends[slow(time)]);
  }
});

test("a look-up among 30,000 words takes far less than a frame", () => {
  const starts = Float64Array.from({ length: 30000 }, (_, word) => word * 0.3);
  const ends = starts.map((start) => start + 0.3);
  const began = performance.now();
  for (let probe = 0; probe < 10000; probe += 1) wordAt(starts, ends, (probe * 7919) % 9000);
  assert.ok((performance.now() - began) / 10000 < 0.1);
});
