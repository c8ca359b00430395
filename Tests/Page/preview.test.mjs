import { makeDocument } from "./support/document.mjs";
import { settled } from "./support/environment.mjs";
import { fakeWebRTC } from "./support/web-rtc.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Clock } from "./support/clock.mjs";
import { Preview } from "../../Sources/Hub/HubHTTP/web/preview.js";

function previewOf(t) {
  const [clock, connections] = [new Clock(t), fakeWebRTC(t)];
  makeDocument(t);
  const call = Object.assign(new EventTarget(), {
    sent: [], state: "offered", isOver: false, announced: Promise.resolve(), iceServers: [],
    async sendSignal(type, content) { call.sent.push([type, content]); },
    signal(type, content) {
      const data = typeof content === "string" ? content : JSON.stringify(content);
      call.dispatchEvent(new CustomEvent("signal", { detail: { type, data } }));
    },
  });
  const preview = new Preview(call);
  const streams = [];
  preview.addEventListener("stream", () => streams.push(preview.stream));
  const types = () => call.sent.map(([type]) => type);
  return { clock, connections, call, preview, streams, types };
}

/** A preview whose media come. */
async function shownOf(t) {
  const made = previewOf(t);
  await made.preview.begin();
  const [[, { id }]] = made.call.sent;
  made.call.signal("preview.offer", { id, sdp: "offer" });
  await settled();
  const track = Object.assign(new EventTarget(), { kind: "video", muted: true });
  const arrive = () => track.dispatchEvent(new Event("unmute"));
  const [connection] = made.connections;
  connection.dispatchEvent(Object.assign(new Event("track"), { track, receiver: {} }));
  return { ...made, id, track, arrive, connection };
}

test("a preview is asked for once the hub knows that it rings, answered, and shown with its first frame", async (t) => {
  const { call, streams, track, arrive, id } = await shownOf(t);
  assert.deepEqual(call.sent, [["preview.begin", { id }], ["preview.answer", { id, sdp: "answer" }]]);
  assert.deepEqual(streams, []);
  track.muted = false;
  arrive();
  assert.equal(streams.length, 1);
  assert.notEqual(streams[0], null);
});

test("nothing but its own offer begins it", async (t) => {
  const { call, connections, preview } = previewOf(t);
  await preview.begin();
  const [[, { id }]] = call.sent;
  call.signal("preview.offer", { id: "another", sdp: "offer" });
  call.signal("preview.offer", { id });
  call.signal("preview.offer", "{");
  call.signal("chat", { id, sdp: "offer" });
  assert.equal(connections.length, 0);
  call.signal("preview.offer", { id, sdp: "offer" });
  call.signal("preview.offer", { id, sdp: "offer" });
  assert.equal(connections.length, 1);
});

test("a device that answers nothing is waited for no longer than 15 s", async (t) => {
  const { clock, call, connections, preview, types } = previewOf(t);
  await preview.begin();
  await clock.advance(15_000);
  const [[, { id }]] = call.sent;
  call.signal("preview.offer", { id, sdp: "offer" });
  assert.deepEqual([connections.length, types()], [0, ["preview.begin"]]);
  assert.equal(clock.timerCount, 0);
});

test("a call that ends takes its preview along, and one that is closed here ends at the device", async (t) => {
  const { call, connection, preview, types } = await shownOf(t);
  preview.close();
  assert.deepEqual([types().at(-1), connection.connectionState], ["preview.end", "closed"]);
  preview.close();
  assert.equal(types().length, 3);
  const other = await shownOf(t);
  other.call.isOver = true;
  other.call.dispatchEvent(new Event("state"));
  assert.deepEqual([other.types().length, other.connection.connectionState], [2, "closed"]);
  assert.equal(call.isOver, false);
});

test("a preview that the device ends stays on an answered call's screen for a second", async (t) => {
  const { clock, call, connection, streams, track, arrive, id } = await shownOf(t);
  track.muted = false;
  arrive();
  call.state = "connecting";
  call.signal("preview.end", { id });
  await clock.advance(999);
  assert.equal(streams.length, 1);
  await clock.advance(1);
  assert.deepEqual([streams.at(-1), connection.connectionState], [null, "closed"]);
});

test("a page in the background asks when somebody looks", async (t) => {
  const { preview, types } = previewOf(t);
  document.visibilityState = "hidden";
  const begun = preview.begin();
  await settled();
  assert.deepEqual(types(), []);
  document.visibilityState = "visible";
  document.dispatchEvent(new Event("visibilitychange"));
  await begun;
  assert.deepEqual(types(), ["preview.begin"]);
});
