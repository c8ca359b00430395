import { deferred, define, settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { CallHistory, meaningOf, recordingDevice } from "../../Sources/Hub/HubHTTP/web/call-history.js";
import { CallHistoryView } from "../../Sources/Hub/HubHTTP/web/call-history-view.js";
import { bindMissedBadge } from "../../Sources/Hub/HubHTTP/web/missed-badge.js";

const door = { userID: "door", userTitle: "Door", kind: "device" };
const anna = { userID: "anna", userTitle: "Anna", kind: "person" };
const start = new Date(2026, 10, 27, 14, 5).getTime();
const callOf = (changes = {}) => ({
  sessionID: "s", caller: door, receiver: anna, media: "video", outcome: "answered", reason: "hangup", startedAt: start,
  answeredAt: start + 5_000, endedAt: start + 138_000, isRecorded: false, ...changes,
});
const pageOf = (calls, changes = {}) => ({ calls, next: null, missed: 0, retention: 7_776_000, ...changes });

/** The view of Anna's page; the hub's answers are given by the test. */
function viewOf(t, { users = {} } = {}) {
  const byID = makeDocument(t);
  document.visibilityState = "visible";
  const events = new EventTarget();
  const [pages, seen, again] = [[], [], []];
  const history = new CallHistory({
    callHistory(query) {
      pages.push({ query, ...deferred() });
      return pages.at(-1).promise;
    },
    async seeCalls(until) { seen.push(until); },
  }, events);
  bindMissedBadge(history);
  const images = [];
  define(t, "IntersectionObserver", class {
    #onSight;
    constructor(onSight) { this.#onSight = onSight; }
    observe(target) { this.#onSight([{ target, isIntersecting: true }]); }
    unobserve() {}
    disconnect() {}
  });
  const view = new CallHistoryView(history, {
    ownID: () => "anna", findUser: (id) => users[id],
    loadImage: (deviceID, archiveID) => {
      images.push({ name: `${deviceID} ${archiveID}`, ...deferred() });
      return images.at(-1).promise;
    },
  });
  view.addEventListener("again", ({ detail }) => again.push(detail));
  history.start();
  const notify = (detail) => events.dispatchEvent(new CustomEvent("call.history", { detail }));
  const entries = () => byID("call-history-days").children.filter((_, index) => index % 2).flatMap(({ children }) => children);
  const texts = () => entries().map((entry) => entry.querySelector(".outcome").textContent);
  return { byID, images, events, history, view, pages, seen, again, notify, entries, texts };
}

test("what a call was to this person", () => {
  const missed = ["unanswered", "busy", "cancelled", "unreachable", "failed", "of-a-later-hub"];
  for (const outcome of missed) assert.ok(meaningOf(callOf({ outcome }), "anna").isMissed, outcome);
  for (const outcome of ["answered", "declined", "answered-elsewhere"]) {
    assert.ok(!meaningOf(callOf({ outcome }), "anna").isMissed, outcome);
  }
  assert.ok(!meaningOf(callOf({ outcome: "cancelled" }), "door").isMissed);
  assert.equal(meaningOf(callOf(), "anna").party, door);
  assert.equal(meaningOf(callOf({ caller: anna, receiver: door }), "anna").party, door);
  assert.equal(meaningOf(callOf(), "another").party, door);
  assert.equal(meaningOf(callOf({ caller: anna, receiver: door }), "another").party, door);
  assert.equal(meaningOf(callOf(), "anna").seconds, 133);
  assert.equal(meaningOf(callOf({ answeredAt: undefined }), "anna").seconds, null);
  assert.equal(recordingDevice({ caller: anna, receiver: anna }), null);
});

test("an entry shows the image of its recording, once for all times that the list is drawn", async (t) => {
  const { view, pages, images, entries, notify } = viewOf(t);
  view.open();
  const calls = [callOf({ archiveID: "a-1", isRecorded: true }), callOf({ isRecorded: true }), callOf({ archiveID: "a-2", isRecorded: true })];
  pages[0].resolve(pageOf(calls));
  await settled();
  images[0].resolve(new Blob(["image"]));
  await settled();
  images[1].reject(new Error("refused"));
  await settled();
  notify({});
  pages.at(-1).resolve(pageOf(calls));
  await settled();
  assert.deepEqual(images.map(({ name }) => name), ["door a-1", "door a-2"]);
  assert.deepEqual(entries().map((entry) => entry.querySelector(".thumbnail").hidden), [false, false, true]);
  view.close();
});

test("a list says what became of calls, by days, and is seen", async (t) => {
  const { byID, view, pages, seen, texts, entries } = viewOf(t);
  view.open();
  const calls = [
    callOf({ outcome: "cancelled", answeredAt: undefined }), callOf({ archiveID: "a-1", isRecorded: true }),
    callOf({ caller: anna, receiver: door, outcome: "declined", answeredAt: undefined, media: "watch", startedAt: start - 86_400_000 }),
    callOf({ isRecorded: true, startedAt: start - 86_400_000 }),
  ];
  pages[0].resolve(pageOf(calls, { missed: 1, next: "next" }));
  await settled();
  assert.deepEqual(texts(), ["Missed · Video", "Answered · 2:13 · Video", "Declined · Watched", "Answered · 2:13 · Video · Recorded"]);
  assert.equal(byID("call-history-days").children.length, 4);
  assert.deepEqual(seen, [start + 138_000]);
  const [none, link] = entries().map((entry) => entry.querySelector("a"));
  assert.ok(none.hidden && !link.hidden);
  assert.equal(link.href, "#/devices/door/recordings/a-1");
  assert.ok(!byID("call-history-more").hidden);
  byID("call-history-more").click();
  pages[1].resolve(pageOf([callOf()]));
  await settled();
  assert.equal(pages[1].query.before, "next");
  assert.equal(entries().length, 5);
  assert.ok(byID("call-history-more").hidden);
});

test("the badge follows all pages of the person", async (t) => {
  const { byID, events, view, pages, seen, notify, history } = viewOf(t);
  events.dispatchEvent(new CustomEvent("hello", { detail: {} }));
  pages[0].resolve(pageOf([], { missed: 120 }));
  await settled();
  assert.equal(byID("calls-badge").textContent, "99+");
  notify({ missed: 1, call: callOf() });
  assert.equal(byID("calls-badge").textContent, "1");
  assert.equal(byID("calls-open").getAttribute("aria-label"), "Calls, 1 missed");
  assert.equal(pages.length, 1, "a closed list asks for nothing");
  notify({ missed: 0 });
  assert.ok(byID("calls-badge").hidden);
  document.visibilityState = "hidden";
  view.open();
  pages[1].resolve(pageOf([callOf()], { missed: 1 }));
  await settled();
  assert.deepEqual(seen, [], "nobody looks at it");
  document.visibilityState = "visible";
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(seen.length, 1);
  history.stop();
  assert.ok(byID("calls-badge").hidden);
  notify({ missed: 3 });
  assert.ok(byID("calls-badge").hidden, "whoever logs in next has other calls");
});

test("an answer from before an event does not undo it", async (t) => {
  const { events, pages, history, notify } = viewOf(t);
  events.dispatchEvent(new CustomEvent("hello", { detail: {} }));
  notify({ missed: 2, call: callOf() });
  pages[0].resolve(pageOf([], { missed: 1 }));
  await settled();
  assert.equal(history.missed, 2);
});

test("of two lists the one that was asked for last stays, and none comes back after leaving", async (t) => {
  const { byID, view, pages, notify, entries } = viewOf(t);
  view.open();
  notify({ missed: 0, call: callOf() });
  pages[1].resolve(pageOf([callOf(), callOf()]));
  await settled();
  pages[0].resolve(pageOf([callOf()]));
  await settled();
  assert.equal(entries().length, 2);
  view.open();
  view.close();
  pages[2].resolve(pageOf([callOf()]));
  await settled();
  assert.equal(entries().length, 0);
  assert.ok(byID("call-history").hidden);
});

test("one click calls again, as far as that is permitted and no call is on", async (t) => {
  const users = { door: { permits: ["audio"] } };
  const { view, pages, again, entries } = viewOf(t, { users });
  const ben = { userID: "ben", userTitle: "Ben", kind: "person" };
  view.open();
  pages[0].resolve(pageOf([callOf(), callOf({ media: "audio" }), callOf({ caller: ben }), callOf({ media: "hologram", caller: ben })]));
  await settled();
  const buttons = () => entries().map((entry) => entry.querySelector("button"));
  assert.deepEqual(buttons().map(({ disabled }) => disabled), [true, false, false, true]);
  for (const button of buttons()) button.click();
  assert.deepEqual(again.map(({ party, media }) => [party.userID, media]), [["door", "audio"], ["ben", "video"]]);
  view.setBusy(true);
  assert.ok(buttons().every(({ disabled }) => disabled));
});

test("an empty list says why, and a failure too", async (t) => {
  const { byID, view, pages } = viewOf(t);
  view.open();
  pages[0].resolve(pageOf([], { retention: 0 }));
  await settled();
  assert.equal(byID("call-history-state").textContent, "This hub keeps no calls.");
  view.open();
  pages[1].reject(Object.assign(new Error("x"), { name: "TimeoutError" }));
  await settled();
  assert.match(byID("call-history-state").textContent, /did not answer in time/);
});

test("a call that a reload has ended is offered again, to its own person alone", async (t) => {
  const byID = makeDocument(t);
  const stored = new Map();
  define(t, "sessionStorage", {
    getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value),
    removeItem: (key) => stored.delete(key),
  });
  define(t, "addEventListener", () => {});
  const { InterruptedCall } = await import("../../Sources/Hub/HubHTTP/web/interrupted-call.js");
  const again = [];
  const make = () => new InterruptedCall((call) => again.push(call));
  const call = { party: door, wanted: { audio: true, video: true }, sent: { audio: true, video: false } };
  byID("interrupted").hidden = true;
  make().note(call, "anna");
  make().show("ben");
  assert.ok(byID("interrupted").hidden && stored.size === 0);
  make().note(call, "anna");
  const next = make();
  next.show("anna");
  assert.equal(byID("interrupted-words").textContent, "The call with Door ended because the page was reloaded.");
  assert.ok(!byID("interrupted").hidden && stored.size === 0);
  byID("interrupted-again").click();
  assert.deepEqual(again.map(({ party, sent }) => [party.userID, sent.video]), [["door", false]]);
  assert.ok(byID("interrupted").hidden);
  make().note(call, "anna");
  stored.set([...stored.keys()][0], JSON.stringify({ ...call, ownID: "anna", at: Date.now() - 600_000 }));
  make().show("anna");
  assert.ok(byID("interrupted").hidden);
  for (const text of ["", "null", "{}", "[1]", JSON.stringify({ ownID: "anna", at: Date.now(), party: door })]) {
    stored.set("livesessions.interrupted-call", text);
    make().show("anna");
    assert.ok(byID("interrupted").hidden, text);
  }
});
