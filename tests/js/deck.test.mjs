import assert from "node:assert/strict";
import { test } from "node:test";

import { timestamp } from "../../static/js/deck.mjs";

test("clock times are floored, never negative, and hours do not wrap", () => {
  assert.equal(timestamp(0.2), "0:00");
  assert.equal(timestamp(59.7), "0:59");
  assert.equal(timestamp(-0.3), "0:00");
  assert.equal(timestamp(3725.4), "1:02:05");
  assert.equal(timestamp(90000), "25:00:00");
});
