import { deferred, settled } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { pauseFor, Rounds } from "../../Sources/Hub/HubHTTP/web/rounds.js";
import { Clock } from "./support/clock.mjs";

function roundsOf(t, pace = { atOnce: 2, shortest: 10_000, share: 1_000 }) {
  const [clock, turns] = [new Clock(t), []];
  const rounds = new Rounds((key) => {
    turns.push({ key, at: clock.now, ...deferred() });
    return turns.at(-1).promise;
  }, pace);
  const finish = async (index, least) => {
    turns[index].resolve(least);
    await settled();
  };
  return { clock, turns, rounds, finish, keys: () => turns.map(({ key }) => key).join("") };
}

test("no more run at once than permitted, and each waits for its next turn", async (t) => {
  const { clock, turns, rounds, finish, keys } = roundsOf(t);
  rounds.set(["a", "b", "c"]);
  assert.equal(keys(), "");
  rounds.start();
  assert.equal(keys(), "ab");
  await finish(0);
  assert.equal(keys(), "abc");
  await finish(1);
  await finish(2);
  await clock.advance(9_999);
  assert.equal(keys(), "abc");
  await clock.advance(1);
  assert.deepEqual([keys(), turns[3].at], ["abcab", 10_000]);
});

test("what fails, or has to wait longer, has its turn later", async (t) => {
  const { clock, turns, rounds, finish, keys } = roundsOf(t);
  rounds.start();
  rounds.set(["a", "b"]);
  await finish(0, 30_000);
  turns[1].reject(new Error("gone"));
  await clock.advance(10_000);
  assert.equal(keys(), "abb");
  await clock.advance(20_000);
  assert.equal(keys(), "abba");
});

test("a pause without an end is none that never ends", async (t) => {
  const { clock, rounds, finish, keys } = roundsOf(t);
  rounds.start();
  rounds.set(["a"]);
  await finish(0, Infinity);
  await clock.advance(3_600_000);
  assert.equal(keys(), "a");
});

test("what is left out for a while has no earlier turn for that, and nothing runs after the end", async (t) => {
  const { clock, rounds, finish, keys } = roundsOf(t);
  rounds.start();
  rounds.set(["a"]);
  await finish(0);
  rounds.set([]);
  rounds.set(["a"]);
  await clock.advance(9_000);
  assert.equal(keys(), "a");
  rounds.stop();
  assert.equal(clock.timerCount, 0);
  rounds.clear();
  rounds.start();
  rounds.set(["a"]);
  assert.equal(keys(), "aa");
});

test("the pause grows with the number", () => {
  assert.deepEqual([1, 10, 50].map((count) => pauseFor(count, { shortest: 10_000, share: 1_000 })), [10_000, 10_000, 50_000]);
});
