import assert from "node:assert/strict";
import test from "node:test";
import { Pauses } from "../../Sources/Hub/HubHTTP/web/pauses.js";

test("pauses are of any length up to a limit that doubles", () => {
  const pauses = new Pauses(500, 4_000);
  assert.deepEqual(Array.from({ length: 5 }, () => pauses.next(null, 1)), [500, 1_000, 2_000, 4_000, 4_000]);
  assert.equal(pauses.next(null, 0), 0);
  pauses.reset();
  assert.equal(pauses.next(null, 0.5), 250);
});

test("a hub gets the pause that it asks for, within bounds, and the limit stays as it is", () => {
  const pauses = new Pauses(500, 4_000);
  assert.deepEqual([0, 7, 31_536_000].map((seconds) => pauses.next(seconds, 0.5)), [1_500, 7_500, 120_500]);
  assert.equal(pauses.next(null, 1), 500);
});
