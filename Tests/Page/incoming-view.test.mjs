import { define, settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Clock } from "./support/clock.mjs";

/** A call that rings here. */
function makeCall(title, { isWithDevice = false } = {}) {
  const call = Object.assign(new EventTarget(), {
    id: title, state: "offered", isOver: false, outcome: null, party: { userTitle: title }, isWithDevice,
    wanted: { audio: true, video: true }, accepted: [], announced: Promise.resolve(), iceServers: [], sent: [],
    preview: null,
    async sendSignal(type, content) { call.sent.push([type, content]); },
    signal(type, content) {
      call.dispatchEvent(new CustomEvent("signal", { detail: { type, data: JSON.stringify(content) } }));
    },
    accept(sent) { call.accepted.push(sent); },
    end(outcome) {
      Object.assign(call, { state: "ended", isOver: true, outcome });
      call.dispatchEvent(new Event("state"));
    },
  });
  return call;
}

async function viewOf(t) {
  const clock = new Clock(t);
  const byID = makeDocument(t);
  document.title = "LiveSessions";
  define(t, "localStorage", { getItem: () => null, setItem() {} });
  const { IncomingView } = await import("../../Sources/Hub/HubHTTP/web/incoming-view.js");
  const { Notifications } = await import("../../Sources/Hub/HubHTTP/web/notifications.js");
  const accepted = [];
  return { clock, byID, accepted, view: new IncomingView((call) => accepted.push(call), new Notifications()) };
}

test("a call that comes as another one ends is asked about once, and nothing of the first is left", async (t) => {
  const { clock, byID, view } = await viewOf(t);
  const faults = [];
  const note = (error) => faults.push(error);
  process.on("uncaughtException", note);
  t.after(() => process.off("uncaughtException", note));
  const [first, second] = ["Mia", "Bert"].map((title) => makeCall(title));
  view.ask(first);
  first.end({ kind: "missed", reason: "hangup" });
  view.ask(second);
  await settled();
  assert.deepEqual(faults, []);
  assert.deepEqual([byID("incoming").open, byID("incoming-words").textContent], [true, "Bert is calling you."]);
  second.end({ kind: "ended", isOwn: true });
  await settled();
  assert.deepEqual([byID("incoming").open, document.title], [false, "LiveSessions"]);
  // That of the notice.
  assert.equal(clock.timerCount, 1);
});

test("a dialog that a browser closes is there again while the call rings", async (t) => {
  const { byID, view } = await viewOf(t);
  const call = makeCall("Mia");
  view.ask(call);
  byID("incoming").close();
  await settled();
  assert.equal(byID("incoming").open, true);
  call.end({ kind: "ended", isOwn: true });
});

test("a call is answered with or without one's own video", async (t) => {
  const { byID, view, accepted } = await viewOf(t);
  const calls = ["Mia", "Bert"].map((title) => makeCall(title));
  for (const [index, id] of ["answer", "answer-unseen"].entries()) {
    view.ask(calls[index]);
    byID(id).click();
  }
  await settled();
  assert.deepEqual(accepted, calls);
  assert.deepEqual(calls[0].accepted, [{ audio: true, video: true }]);
  assert.deepEqual(calls[1].accepted, [{ audio: true, video: false }]);
  assert.equal(byID("incoming").open, false);
});

test("a device's call is answered by voice, or with one's own video", async (t) => {
  const { byID, view, accepted } = await viewOf(t);
  const calls = ["Gate", "Door"].map((title) => makeCall(title, { isWithDevice: true }));
  for (const [index, id] of ["answer", "answer-seen"].entries()) {
    view.ask(calls[index]);
    assert.deepEqual([byID("answer-seen").hidden, byID("answer-unseen").hidden], [false, true]);
    byID(id).click();
  }
  await settled();
  assert.deepEqual(accepted, calls);
  assert.deepEqual(calls[0].accepted, [{ audio: true, video: false }]);
  assert.deepEqual(calls[1].accepted, [{ audio: true, video: true }]);
});

test("of the device's actions the dialog offers the prominent ones, until it is answered", async (t) => {
  const { byID, view } = await viewOf(t);
  const call = makeCall("Gate", { isWithDevice: true });
  view.ask(call);
  call.signal("actions", {
    actions: [{ name: "open-door", needsPIN: true, isProminent: true }, { name: "light", needsPIN: false }],
  });
  const names = () => byID("incoming-actions").children.map(({ dataset }) => dataset.deviceAction);
  assert.deepEqual([names(), byID("incoming-actions").hidden], [["open-door"], false]);
  byID("answer").click();
  assert.deepEqual([names(), byID("incoming-actions").hidden], [[], true]);
});

test("a device is asked for a preview, which the dialog shows and the call takes with it", async (t) => {
  const { byID, view } = await viewOf(t);
  const call = makeCall("Gate", { isWithDevice: true });
  view.ask(call);
  await settled();
  const [[type, { id }]] = call.sent;
  assert.equal(type, "preview.begin");
  const stream = { getTracks: () => [{ kind: "video" }] };
  byID("incoming-video").play = async () => {};
  call.preview.stream = stream;
  call.preview.dispatchEvent(new Event("stream"));
  assert.deepEqual([byID("incoming-video").srcObject, byID("incoming-video").hidden], [stream, false]);
  byID("answer").click();
  assert.deepEqual([byID("incoming-video").srcObject, byID("incoming-video").hidden], [null, true]);
  assert.equal(call.preview.stream, stream);
  call.signal("preview.end", { id });
  call.end({ kind: "ended", isOwn: true });
  assert.equal(call.preview.stream, null);
});
