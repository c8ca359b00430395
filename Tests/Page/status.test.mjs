import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Statuses } from "../../Sources/Hub/HubHTTP/web/status.js";

const of = (statuses, status, now) => statuses.of({ userID: "door", status }, now);

test("who has just refused a call as busy is busy for a minute", () => {
  const statuses = new Statuses();
  assert.equal(of(statuses, "available", 0), "available");
  assert.equal(of(statuses, "busy", 0), "busy");
  statuses.wasBusy("door", 0);
  assert.equal(of(statuses, "available", 59_999), "busy");
  assert.equal(of(statuses, "do-not-disturb", 1), "do-not-disturb");
  assert.equal(of(statuses, "available", 60_000), "available");
});

test("or until a call is answered", () => {
  const statuses = new Statuses();
  statuses.wasBusy("door", 0);
  statuses.wasFree("door");
  assert.equal(of(statuses, "available", 1), "available");
});

test("without the hub's events nothing is known", () => {
  const statuses = new Statuses();
  statuses.isStale = true;
  assert.equal(of(statuses, "available", 0), "unknown");
});
