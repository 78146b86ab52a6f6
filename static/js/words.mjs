/** Which word is being spoken. Pure: no page, no clock. Times are seconds. */

/** The shortest time that a word stays lit, for words whose start and end were given as the same. */
const GLIMPSE = 0.06;

/**
 * @param {string} text milliseconds, start and end of each word in turn: "0 240 240 600"
 * @returns {{starts: number[], ends: number[]}}
 */
export function parseTimes(text) {
  const starts = [];
  const ends = [];
  let start = null;
  for (const part of text.split(" ")) {
    if (part === "") continue;
    const time = Number(part) / 1000;
    if (start === null) start = time;
    else {
      starts.push(start);
      ends.push(time);
      start = null;
    }
  }
  return { starts, ends };
}

/**
 * The last word that has begun by `time`, or -1. `starts` never fall.
 * @param {ArrayLike<number>} starts
 */
export function lastBegun(starts, time) {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * The word that is spoken at `time`, or -1 in a pause. A word holds its start and not its end, so at a border the
 * later one is lit. Where several words were given one start, each has its turn by its end.
 * @param {ArrayLike<number>} starts
 * @param {ArrayLike<number>} ends
 */
export function wordAt(starts, ends, time) {
  const last = lastBegun(starts, time);
  if (last < 0) return -1;
  let first = last;
  while (first > 0 && starts[first - 1] === starts[last]) first -= 1;
  for (let index = first; index <= last; index += 1) {
    if (time < ends[index]) return index;
  }
  return time < starts[last] + GLIMPSE ? last : -1;
}
