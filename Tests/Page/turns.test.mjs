import { deferred, settled } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Turns } from "../../Sources/Hub/HubHTTP/web/turns.js";

test("a step begins when the one before is over", async () => {
  const turns = new Turns();
  const seen = [];
  const first = deferred();
  const results = [
    turns.take(async () => { seen.push("first"); return first.promise; }),
    turns.take(async () => { seen.push("second"); return 2; }),
  ];
  await settled();
  assert.deepEqual(seen, ["first"]);
  first.resolve(1);
  assert.deepEqual(await Promise.all(results), [1, 2]);
  assert.deepEqual(seen, ["first", "second"]);
});

test("a failure is its own step's, and holds back no other", async () => {
  const turns = new Turns();
  const failed = turns.take(() => { throw new Error("no"); });
  const next = turns.take(() => "yes");
  await assert.rejects(failed, /no/);
  assert.equal(await next, "yes");
});
