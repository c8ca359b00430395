import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Settle } from "../../Sources/Hub/HubHTTP/web/settle.js";
import { Clock } from "./support/clock.mjs";

test("a burst is answered once, 200 ms after its end", async (t) => {
  const clock = new Clock(t);
  const runs = [];
  const settle = new Settle(() => runs.push(clock.now), { delay: 200, longest: 500 });
  for (let count = 0; count < 4; count += 1) {
    settle.soon();
    await clock.advance(100);
  }
  await clock.advance(1_000);
  assert.deepEqual(runs, [500]);
});

test("what is asked for without end is done all the same", async (t) => {
  const clock = new Clock(t);
  const runs = [];
  const settle = new Settle(() => runs.push(clock.now), { delay: 200, longest: 500 });
  for (let count = 0; count < 60; count += 1) {
    settle.soon();
    await clock.advance(20);
  }
  assert.deepEqual(runs, [500, 1_000]);
});

test("what is called off is not done, and can be asked for again", async (t) => {
  const clock = new Clock(t);
  const runs = [];
  const settle = new Settle(() => runs.push(clock.now), { delay: 200, longest: 500 });
  settle.soon();
  settle.cancel();
  await clock.advance(1_000);
  assert.deepEqual([runs.length, clock.timerCount], [0, 0]);
  settle.soon();
  await clock.advance(1_000);
  assert.deepEqual(runs, [1_200]);
});
