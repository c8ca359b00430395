import { deferred, settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { NearbyView } from "../../Sources/Hub/HubHTTP/web/nearby-view.js";
import { Clock } from "./support/clock.mjs";

function viewOf(t) {
  const clock = new Clock(t);
  const byID = makeDocument(t);
  const lists = [];
  const users = () => {
    lists.push(deferred());
    return lists.at(-1).promise;
  };
  const events = new EventTarget();
  const view = new NearbyView({ users }, events, { position: () => null, maySeeArchives: () => false });
  return { clock, byID, events, lists, view, text: () => byID("nearby-empty").textContent };
}

const none = "No one else is online.";

test("a list that failed is no news once a later one is shown", async (t) => {
  const { lists, view, text } = viewOf(t);
  view.refresh();
  view.refresh();
  lists[1].resolve({ items: [] });
  await settled();
  lists[0].reject(new DOMException("late", "TimeoutError"));
  await settled();
  assert.equal(text(), none);
  view.refresh();
  lists[2].reject(new DOMException("late", "TimeoutError"));
  await settled();
  assert.match(text(), /in time/);
});

test("after the end neither lists nor failures come in, and nothing runs", async (t) => {
  const { clock, events, lists, view, text } = viewOf(t);
  view.start();
  events.dispatchEvent(new Event("presence"));
  view.refresh();
  view.stop();
  lists[0].reject(new Error("late"));
  lists[1].resolve({ items: [{ userID: "mia" }] });
  await settled();
  assert.deepEqual([text(), clock.timerCount], [none, 0]);
});

test("a burst of presence is one request", async (t) => {
  const { clock, events, lists } = viewOf(t);
  for (let count = 0; count < 20; count += 1) events.dispatchEvent(new Event("presence"));
  await clock.advance(1_000);
  assert.equal(lists.length, 1);
});
