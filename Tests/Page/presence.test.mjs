import { deferred, define, settled } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Presence } from "../../Sources/Hub/HubHTTP/web/presence.js";
import { Clock } from "./support/clock.mjs";

const here = { latitude: 1, longitude: 2 };

/** A page's presence, the updates that the hub received, and their answers. */
function pageOf(t) {
  const clock = new Clock(t);
  t.mock.method(Math, "random", () => 0.5);
  const page = { clock, updates: [], answers: [], workers: new Set(), interval: null };
  define(t, "Worker", class extends EventTarget {
    constructor() {
      super();
      page.workers.add(this);
      page.tick = () => this.dispatchEvent(new Event("message"));
    }
    postMessage(interval) { page.interval = interval; }
    terminate() { page.workers.delete(this); }
  });
  page.events = Object.assign(new EventTarget(), { eventStreamID: null });
  page.calls = Object.assign(new EventTarget(), { isBusy: false, heldIDs: [] });
  const hub = {
    publishPresence(update) {
      page.updates.push(update);
      page.answers.push(deferred());
      return page.answers.at(-1).promise;
    },
  };
  page.presence = new Presence(hub, page.events, page.calls);
  page.greet = (eventStreamID, heartbeatInterval = 20) => {
    page.events.eventStreamID = eventStreamID;
    page.events.dispatchEvent(new CustomEvent("hello", { detail: { heartbeatInterval } }));
  };
  page.answer = async (error = null) => {
    if (error) page.answers.at(-1).reject(error);
    else page.answers.at(-1).resolve();
    await settled();
  };
  return page;
}

test("presence is published with the greeting and as often as the hub asks for, within bounds", async (t) => {
  const page = pageOf(t);
  page.presence.publish();
  assert.equal(page.updates.length, 0);
  for (const [interval, wanted] of [[20, 20_000], [1, 10_000], [1e9, 3_600_000], ["x", 20_000]]) {
    page.greet("one", interval);
    assert.equal(page.interval, wanted);
    await page.answer();
  }
  assert.equal(page.workers.size, 1);
  const before = page.updates.length;
  page.tick();
  assert.equal(page.updates.length, before + 1);
  assert.deepEqual(page.updates.at(-1), {
    kind: "person", isAudio: true, isVideo: true, status: "available", eventStreamID: "one", sessions: [] });
  page.presence.stop();
  assert.equal(page.workers.size, 0);
});

test("a failure is tried again, as late as the hub asks for, and not for a stream that is gone", async (t) => {
  const page = pageOf(t);
  page.greet("one");
  await page.answer({ retryAfter: 9 });
  await page.clock.advance(9_499);
  assert.equal(page.updates.length, 1);
  await page.clock.advance(1);
  assert.equal(page.updates.length, 2);
  page.events.eventStreamID = null;
  await page.answer(new Error("away"));
  assert.equal(page.clock.timerCount, 0);
});

test("a position is sent once, and again on a new stream", async (t) => {
  const page = pageOf(t);
  page.greet("one");
  await page.answer();
  page.presence.move(here);
  await page.answer();
  await page.clock.advance(5_000);
  page.tick();
  await page.answer();
  page.greet("two");
  const sent = page.updates.map(({ userLocation, positionAge }) => [userLocation, positionAge]);
  assert.deepEqual(sent, [[undefined, undefined], [here, 0], [undefined, 5], [here, 5]]);
});

test("a position that is taken back while the hub is away is taken back when it returns", async (t) => {
  const page = pageOf(t);
  page.greet("one");
  await page.answer();
  page.presence.move(here);
  await page.answer();
  page.presence.move(null);
  await page.answer(new Error("away"));
  page.greet("two");
  assert.equal(page.updates.at(-1).userLocation, null);
  await page.answer();
  page.tick();
  assert.ok(!("userLocation" in page.updates.at(-1)));
});

test("updates do not overtake each other: the next is sent when one is answered", async (t) => {
  const page = pageOf(t);
  page.greet("one");
  await page.answer();
  page.presence.move(here);
  page.presence.move(null);
  page.calls.isBusy = true;
  page.calls.dispatchEvent(new Event("waiting"));
  assert.deepEqual(page.updates.map(({ userLocation }) => userLocation), [undefined, here]);
  await page.answer();
  assert.deepEqual([page.updates.length, page.updates[2].userLocation, page.updates[2].status], [3, null, "busy"]);
  await page.answer();
  assert.equal(page.updates.length, 3);
});

test("a new stream waits for no answer of the one before", async (t) => {
  const page = pageOf(t);
  page.greet("one");
  page.greet("two");
  assert.deepEqual(page.updates.map(({ eventStreamID }) => eventStreamID), ["one", "two"]);
  page.presence.publish();
  page.answers[0].reject(new Error("late"));
  await settled();
  assert.equal(page.updates.length, 2);
  await page.answer();
  assert.equal(page.updates.length, 3);
});
