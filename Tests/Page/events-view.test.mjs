import { deferred, define, settled } from "./support/environment.mjs";
import { makeDocument, watchObjectURLs } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { EventsView } from "../../Sources/Hub/HubHTTP/web/events-view.js";
import { Clock } from "./support/clock.mjs";

const door = { userID: "door", userTitle: "Door" };

/** The view, and the hub's answers, which the test gives in the order of the requests. */
function viewOf(t) {
  const clock = new Clock(t);
  clock.now = Date.UTC(2026, 10, 24, 12);
  define(t, "IntersectionObserver", class {
    observe() {}
    unobserve() {}
    disconnect() {}
  });
  const byID = makeDocument(t);
  const [recordings, events, states] = [[], [], []];
  const ask = (answers) => {
    answers.push(deferred());
    return answers.at(-1).promise;
  };
  const view = new EventsView({
    recordings: () => ask(recordings), deviceEvents: () => ask(events), recordManually: () => ask(states),
  });
  return { clock, byID, view, recordings, events, states, urls: watchObjectURLs(t) };
}

test("the end of a day's loading is not that of the day that shows", async (t) => {
  const { byID, view, recordings, events } = viewOf(t);
  view.open(door);
  byID("day-before").click();
  recordings[0].resolve({ items: [] });
  await settled();
  assert.equal(byID("device-events-more").disabled, true);
  assert.equal(byID("device-events-state").textContent, "Asking the device …");
  recordings[1].resolve({ items: [] });
  await settled();
  events[0].resolve({ items: [], hasMore: false });
  await settled();
  assert.equal(byID("device-events-more").disabled, false);
  assert.match(byID("device-events-state").textContent, /^No events on this day/);
});

test("a closed view can be opened again while its first request is under way", async (t) => {
  const { byID, view, recordings } = viewOf(t);
  view.open(door);
  view.close();
  view.open(door);
  recordings[0].reject(new Error("late"));
  await settled();
  assert.equal(byID("device-events-state").textContent, "Asking the device …");
  recordings[1].reject(Object.assign(new Error(), { status: 403 }));
  await settled();
  assert.match(byID("device-events-state").textContent, /does not show/);
  assert.equal(byID("device-events-more").disabled, false);
});

test("the button that has a device record is another one's with another device", async (t) => {
  const { byID, view, states } = viewOf(t);
  view.open(door);
  states[0].resolve({ isRecording: false });
  await settled();
  const button = byID("record-now");
  assert.deepEqual([button.hidden, button.textContent], [false, "Record now"]);
  button.click();
  assert.equal(button.disabled, true);
  view.open({ userID: "gate", userTitle: "Gate" });
  assert.deepEqual([button.hidden, button.disabled], [true, false]);
  states[2].resolve({ isRecording: true, secondsLeft: 60 });
  await settled();
  assert.equal(button.textContent, "Stop recording");
  button.click();
  states[1].resolve({ isRecording: true });
  await settled();
  assert.deepEqual([button.disabled, button.textContent], [true, "Stop recording"]);
  states[3].resolve({ isRecording: false });
  await settled();
  assert.deepEqual([button.disabled, button.textContent], [false, "Record now"]);
});

test("a recording's end is asked for once, and not after the view was closed", async (t) => {
  const { clock, view, states } = viewOf(t);
  view.open(door);
  states[0].resolve({ isRecording: true, secondsLeft: 60 });
  await clock.advance(62_000);
  assert.equal(states.length, 2);
  states[1].resolve({ isRecording: true, secondsLeft: 60 });
  await settled();
  view.close();
  assert.equal(clock.timerCount, 0);
});
