import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Silence } from "../../Sources/Hub/HubHTTP/web/silence.js";
import { Clock } from "./support/clock.mjs";

test("what says that it lives is not ended, and what falls silent is", async (t) => {
  const clock = new Clock(t);
  const silence = new Silence(1_500);
  for (let count = 0; count < 6; count += 1) {
    await clock.advance(1_499);
    silence.broken();
  }
  assert.equal(silence.signal.aborted, false);
  await clock.advance(1_500);
  assert.equal(silence.signal.reason.name, "TimeoutError");
});

test("a new limit stays", async (t) => {
  const clock = new Clock(t);
  const silence = new Silence(1_000);
  silence.broken(5_000);
  silence.broken();
  await clock.advance(4_999);
  assert.equal(silence.signal.aborted, false);
  await clock.advance(1);
  assert.equal(silence.signal.aborted, true);
});

test("the end leaves no timer, and a signal ends it before its time", async (t) => {
  const clock = new Clock(t);
  const stop = new AbortController();
  const [ended, stopped] = [new Silence(50), new Silence(10_000, stop.signal)];
  ended.end();
  stop.abort();
  await clock.advance(100);
  assert.equal(ended.signal.aborted, false);
  assert.equal(stopped.signal.reason.name, "AbortError");
  stopped.end();
  assert.equal(clock.timerCount, 0);
});
