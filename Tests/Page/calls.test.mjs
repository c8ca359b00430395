import { settled } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Calls } from "../../Sources/Hub/HubHTTP/web/calls.js";
import { Clock } from "./support/clock.mjs";
import { fakeWebRTC } from "./support/web-rtc.mjs";

const media = { wanted: { audio: true, video: false }, sent: { audio: false, video: false } };

/** The calls of a page of `ownID`, the hub's events to it, and what it tells the hub. */
function pageOf(t, ownID) {
  new Clock(t);
  fakeWebRTC(t);
  const told = [];
  const tell = async (id, what, body) => { told.push([id, body?.reason ?? what]); };
  const events = new EventTarget();
  const hub = { tellSession: tell, endSession: tell, startSession: () => new Promise(() => {}) };
  const calls = new Calls(hub, events, () => ownID);
  const receive = (name, detail) => events.dispatchEvent(new CustomEvent(name, { detail }));
  const ring = (sessionID, callerID = `caller of ${sessionID}`) => receive("call.incoming", {
    sessionID, callerID, callerTitle: "Mia", isAudio: true, isVideo: false, offer: "" });
  return { calls, receive, ring, told };
}

test("of two who call each other the lower user id's call continues", async (t) => {
  const outcome = async (ownID, callerID) => {
    const { calls, ring, told } = pageOf(t, ownID);
    calls.place({ userID: "mia", userTitle: "Mia" }, media);
    const own = calls.current;
    await settled();
    ring("theirs", callerID);
    return [own.state, calls.current.id === "theirs", ...told.map(([, what]) => what)].join(" ");
  };
  assert.equal(await outcome("anna", "mia"), "calling false");
  assert.equal(await outcome("zoe", "mia"), "ended true glare ringing");
  assert.equal(await outcome("zoe", "bert"), "calling false ringing");
});

test("calls that come in during another wait: no caller is told “busy”, and the oldest rings next", async (t) => {
  const { calls, receive, ring, told } = pageOf(t, "zoe");
  const state = () => [calls.current.id, calls.current.state, calls.heldIDs.join("+")].join(" ");
  for (const id of ["first", "second", "third", "third", "fourth"]) ring(id);
  assert.equal(state(), "first offered first+second+third+fourth");
  receive("call.taken", { sessionID: "second", outcome: "answered" });
  receive("call.ended", { sessionID: "unknown", reason: "hangup" });
  assert.equal(state(), "first offered first+third+fourth");
  calls.current.reject("declined");
  await settled();
  assert.equal(state(), "third offered third+fourth");
  calls.waiting[0].reject("busy");
  assert.equal(state(), "third offered third");
  ring("fifth");
  calls.hangUp();
  await settled();
  assert.deepEqual([calls.isBusy, calls.heldIDs], [false, []]);
  assert.deepEqual(told, [
    ...["first", "second", "third", "fourth"].map((name) => [name, "ringing"]),
    ["first", "declined"], ["fourth", "busy"], ["fifth", "ringing"]]);
});

test("there is one call at a time", (t) => {
  const { calls } = pageOf(t, "zoe");
  calls.place({ userID: "mia", userTitle: "Mia" }, media);
  const { current } = calls;
  calls.place({ userID: "bert", userTitle: "Bert" }, media);
  assert.equal(calls.current, current);
});

test("what is only watched keeps nobody busy, is held, gets its events, and ends with the page", async (t) => {
  const { calls, receive, told } = pageOf(t, "zoe");
  const watched = ["door", "gate"].map((userID) => calls.watch({ userID, userTitle: userID, kind: "device" }, media));
  await settled();
  assert.deepEqual([calls.isBusy, calls.current, calls.heldIDs], [false, null, watched.map(({ id }) => id)]);
  receive("call.ended", { sessionID: watched[0].id, reason: "busy" });
  assert.deepEqual([watched[0].isOver, calls.heldIDs], [true, [watched[1].id]]);
  calls.place({ userID: "mia", userTitle: "Mia" }, media);
  assert.equal(calls.isBusy, true);
  await settled();
  calls.hangUp();
  await settled();
  assert.deepEqual([calls.heldIDs, told.map(([, what]) => what)], [[], ["hangup", "hangup"]]);
});
