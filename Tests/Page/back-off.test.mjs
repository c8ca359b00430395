import assert from "node:assert/strict";
import test from "node:test";
import { BackOff } from "../../Sources/Hub/HubHTTP/web/back-off.js";

const delays = (backOff, count, random = 0.5) => Array.from({ length: count }, () => backOff.next(random));

test("tries wait longer and longer, up to 8 s, a quarter more or less", () => {
  const backOff = new BackOff();
  assert.deepEqual(delays(backOff, 6), [0, 1_000, 2_000, 4_000, 8_000, 8_000]);
  assert.deepEqual([...delays(backOff, 1, 0), ...delays(backOff, 1, 1)], [6_000, 10_000]);
  assert.equal(delays(backOff, 2_000).at(-1), 8_000);
});

test("only what worked for 10 s begins again at once", () => {
  const backOff = new BackOff();
  delays(backOff, 6);
  backOff.up(0);
  backOff.down(9_999);
  assert.deepEqual(delays(backOff, 1), [8_000]);
  backOff.up(20_000);
  backOff.up(29_000);
  backOff.down(30_000);
  assert.deepEqual(delays(backOff, 2), [0, 1_000]);
  backOff.down(90_000);
  assert.deepEqual(delays(backOff, 1), [2_000]);
});
