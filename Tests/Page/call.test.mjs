import { deferred, define, settled } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { ProblemError } from "../../Sources/Hub/HubHTTP/web/api.js";
import { Call } from "../../Sources/Hub/HubHTTP/web/call.js";
import { Clock } from "./support/clock.mjs";
import { fakeWebRTC } from "./support/web-rtc.mjs";

const nothing = { audio: false, video: false };
const offered = { sessionID: "1", callerID: "mia", callerTitle: "Mia", isAudio: true, isVideo: false, offer: "offer" };

/** A call that came in, and what is told to the hub, which refuses the answer as too late if so. */
function incoming(t, { isLate = false } = {}) {
  const clock = new Clock(t);
  fakeWebRTC(t);
  const told = [];
  const call = Call.incoming({
    async tellSession(id, verb, body) {
      told.push(body?.reason ?? verb);
      if (isLate && verb === "answer") throw new ProblemError({ type: "wrong-state", status: 409 });
    },
    async endSession(id, reason) { told.push(`end ${reason}`); },
  }, offered);
  return { call, told, clock };
}

const ending = ({ state, outcome }) => [state, outcome?.kind, outcome?.reason].join(" ");

test("a call that is answered, declined or ended elsewhere is missed here, and the hub need not be told", async (t) => {
  for (const [name, detail, wanted] of [
    ["call.answered", {}, "ended missed answered-elsewhere"],
    ["call.taken", { outcome: "rejected" }, "ended missed declined"],
    ["call.rejected", { reason: "declined" }, "ended missed declined"],
    ["call.ended", { reason: "hangup" }, "ended missed hangup"],
  ]) {
    const { call, told } = incoming(t);
    await call.handle(name, detail);
    assert.deepEqual([ending(call), told], [wanted, []], name);
  }
});

test("whoever answers too late has missed it", async (t) => {
  const { call, told } = incoming(t, { isLate: true });
  await call.accept(nothing);
  assert.deepEqual([ending(call), told], ["ended missed answered-elsewhere", ["answer"]]);
});

test("a page that goes away leaves a ringing call to others", (t) => {
  const { call, told } = incoming(t);
  call.hangUp({ isLeaving: true });
  assert.deepEqual([ending(call), told], ["ended ended hangup", []]);
});

test("what rings until its time is up is declined as unanswered", async (t) => {
  const { call, told, clock } = incoming(t);
  call.announceRinging();
  await clock.advance(69_999);
  assert.equal(call.isOver, false);
  await clock.advance(1);
  assert.deepEqual([ending(call), told, clock.timerCount], ["ended missed unanswered", ["ringing", "unanswered"], 0]);
});

test("without media an answered call ends after 15 s", async (t) => {
  const { call, told, clock } = incoming(t);
  await call.accept(nothing);
  await clock.advance(14_999);
  assert.equal(call.state, "connecting");
  await clock.advance(1);
  assert.deepEqual([ending(call), told], ["ended failed no-media", ["answer", "end connection-lost"]]);
});

test("a camera that opens after the call's end is closed", async (t) => {
  const opened = deferred();
  let stops = 0;
  define(t, "navigator", { mediaDevices: { getUserMedia: () => opened.promise } });
  const { call, told } = incoming(t);
  const accepting = call.accept({ audio: true, video: true });
  call.hangUp();
  opened.resolve({ getTracks: () => [{ stop() { stops += 1; } }] });
  await accepting;
  assert.deepEqual([stops, call.localStream, told], [1, null, ["declined"]]);
});

/** A call that this page places; its request is under way until the returned `grant` is resolved. */
async function outgoing(t) {
  const clock = new Clock(t);
  const grant = deferred();
  const told = [];
  const connections = fakeWebRTC(t);
  const call = Call.outgoing({
    startSession() { told.push("start"); return grant.promise; },
    async tellSession(id, verb) { told.push(verb); },
    async endSession(id, reason) { told.push(`end ${reason}`); },
  }, { userID: "mia", userTitle: "Mia", kind: "person" }, { wanted: { audio: true, video: false }, sent: nothing });
  call.place();
  await settled();
  return { call, told, grant, connections, clock };
}

test("a call that is hung up during its request is ended once more: requests overtake each other", async (t) => {
  const { call, told, grant } = await outgoing(t);
  call.hangUp();
  assert.deepEqual(told, ["start", "end hangup"]);
  grant.resolve({});
  await settled();
  assert.deepEqual(told, ["start", "end hangup", "end hangup"]);
});

test("a call that the other side has ended is not", async (t) => {
  const { call, told, grant } = await outgoing(t);
  await call.handle("call.rejected", { reason: "busy" });
  grant.resolve({});
  await settled();
  assert.deepEqual([ending(call), told], ["ended rejected busy", ["start"]]);
});

test("candidates that come at the end of a call are not sent after it", async (t) => {
  const { call, told, grant, clock, connections: [connection] } = await outgoing(t);
  grant.resolve({});
  await clock.advance(0);
  const candidate = Object.assign(new Event("icecandidate"), {
    candidate: { candidate: "c", sdpMid: "0", sdpMLineIndex: 0 },
  });
  connection.dispatchEvent(candidate);
  await clock.advance(100);
  connection.dispatchEvent(candidate);
  call.hangUp();
  await clock.advance(100);
  assert.deepEqual(told, ["start", "candidates", "end hangup"]);
});

/** A call that is connected. */
async function connected(t) {
  const parts = await outgoing(t);
  const { call, grant, connections: [connection] } = parts;
  const become = (state) => {
    connection.connectionState = state;
    connection.dispatchEvent(new Event("connectionstatechange"));
  };
  grant.resolve({ iceServers: [] });
  await call.handle("call.ringing", {});
  assert.equal(call.state, "ringing");
  await call.handle("call.answered", { sdp: "answer" });
  assert.equal(call.state, "connecting");
  become("connected");
  assert.equal(call.state, "connected");
  return { ...parts, become, connection };
}

test("an interruption has 15 s to end", async (t) => {
  const { call, told, clock, become } = await connected(t);
  become("disconnected");
  await clock.advance(1_000);
  assert.equal(call.state, "reconnecting");
  become("connected");
  await clock.advance(60_000);
  assert.equal(call.state, "connected");
  become("disconnected");
  await clock.advance(15_999);
  assert.equal(call.state, "reconnecting");
  await clock.advance(1);
  assert.deepEqual([ending(call), told.at(-1)], ["ended ended connection-lost", "end connection-lost"]);
  await clock.advance(60_000);
  assert.equal(clock.timerCount, 0);
});

test("the hub's reason for an end is better than the connection's, and comes within a second", async (t) => {
  for (const [reason, wait] of [["shutdown", 0], ["hangup", 1_000]]) {
    const { call, clock, connection } = await connected(t);
    const transport = Object.assign(new EventTarget(), { state: "closed" });
    connection.dispatchEvent(Object.assign(new Event("track"), { track: new EventTarget(), receiver: { transport } }));
    transport.dispatchEvent(new Event("statechange"));
    if (wait === 0) await call.handle("call.ended", { reason });
    else await clock.advance(wait);
    assert.equal(ending(call), `ended ended ${reason}`);
  }
});

test("events of a device: its recording, what it refuses, and nothing after the end", async (t) => {
  const { call } = await connected(t);
  const seen = [];
  for (const name of ["archive", "result", "signal"]) call.addEventListener(name, () => seen.push(name));
  await call.handle("archive.started", {});
  assert.equal(call.isRecording, true);
  await call.handle("control.result", { action: "swap-camera", reason: "not-possible" });
  assert.equal(call.canSwap, false);
  await call.handle("signal", { type: "chat", data: "hi" });
  await call.handle("constructor", {});
  await call.handle("a-later-one", {});
  call.hangUp();
  assert.equal(call.isRecording, false);
  await call.handle("archive.started", {});
  await call.handle("signal", { type: "chat", data: "hi" });
  assert.deepEqual(seen, ["archive", "result", "signal"]);
});
