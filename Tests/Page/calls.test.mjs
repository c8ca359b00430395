import { deferred, settled } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Call } from "../../Sources/Hub/HubHTTP/web/call.js";
import { Calls } from "../../Sources/Hub/HubHTTP/web/calls.js";
import { Clock } from "./support/clock.mjs";
import { fakeWebRTC } from "./support/web-rtc.mjs";

const media = { wanted: { audio: true, video: false }, sent: { audio: false, video: false } };

/** The calls of a page of `ownID`, the hub's events to it, and what it tells the hub. */
async function pageOf(t, ownID) {
  new Clock(t);
  fakeWebRTC(t);
  const told = [];
  const tell = async (id, what, body) => { told.push([id, body?.reason ?? what]); };
  const events = new EventTarget();
  const hub = { tellSession: tell, endSession: tell, startSession: () => new Promise(() => {}) };
  const calls = new Calls(hub, events, () => ownID, async () => Call);
  await calls.prepare();
  const receive = (name, detail) => events.dispatchEvent(new CustomEvent(name, { detail }));
  const ring = (sessionID, callerID = `caller of ${sessionID}`) => receive("call.incoming", {
    sessionID, callerID, callerTitle: "Mia", isAudio: true, isVideo: false, offer: "" });
  return { calls, receive, ring, told };
}

test("of two who call each other the lower user id's call continues", async (t) => {
  const outcome = async (ownID, callerID) => {
    const { calls, ring, told } = await pageOf(t, ownID);
    await calls.place({ userID: "mia", userTitle: "Mia" }, media);
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
  const { calls, receive, ring, told } = await pageOf(t, "zoe");
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

/** Calls whose class comes when the test says so. */
function unpreparedPage(t) {
  new Clock(t);
  fakeWebRTC(t);
  const [told, loads, failures] = [[], [], []];
  const hub = { tellSession: async (id, what) => { told.push([id, what]); }, startSession: () => new Promise(() => {}) };
  const events = new EventTarget();
  const load = () => {
    loads.push(deferred());
    return loads.at(-1).promise;
  };
  const calls = new Calls(hub, events, () => "zoe", load);
  calls.addEventListener("failure", ({ detail }) => failures.push(detail.message));
  const receive = (name, detail) => events.dispatchEvent(new CustomEvent(name, { detail }));
  const ring = (sessionID) => receive("call.incoming", { sessionID, callerID: "mia", callerTitle: "Mia", isAudio: true, offer: "" });
  return { calls, loads, failures, told, receive, ring };
}

test("a call rings once its class is there, and what came meanwhile comes in its order", async (t) => {
  const { calls, loads, told, receive, ring } = unpreparedPage(t);
  receive("call.ended", { sessionID: "old", reason: "hangup" });
  assert.equal(loads.length, 0);
  ring("first");
  receive("call.ended", { sessionID: "first", reason: "hangup" });
  ring("second");
  calls.place({ userID: "bert", userTitle: "Bert" }, media);
  assert.deepEqual([loads.length, calls.isBusy], [1, false]);
  loads[0].resolve(Call);
  await settled();
  assert.deepEqual([calls.current.id, calls.current.state, told.map(([id]) => id)], ["second", "offered", ["first", "second"]]);
});

test("a class that cannot be had is said, and asked for again with the next call", async (t) => {
  const { calls, loads, failures, ring } = unpreparedPage(t);
  ring("first");
  loads[0].reject(new TypeError("no network"));
  await settled();
  assert.deepEqual([failures, calls.isBusy], [["no network"], false]);
  const placed = calls.place({ userID: "bert", userTitle: "Bert" }, media);
  loads[1].reject(new TypeError("still none"));
  await assert.rejects(placed, /still none/);
  ring("second");
  loads[2].resolve(Call);
  await settled();
  assert.equal(calls.current.id, "second");
});

test("there is one call at a time", async (t) => {
  const { calls } = await pageOf(t, "zoe");
  await calls.place({ userID: "mia", userTitle: "Mia" }, media);
  const { current } = calls;
  await calls.place({ userID: "bert", userTitle: "Bert" }, media);
  assert.equal(calls.current, current);
});

test("what is only watched keeps nobody busy, is held, gets its events, and ends with the page", async (t) => {
  const { calls, receive, told } = await pageOf(t, "zoe");
  const watched = ["door", "gate"].map((userID) => calls.watch({ userID, userTitle: userID, kind: "device" }, media));
  await settled();
  assert.deepEqual([calls.isBusy, calls.current, calls.heldIDs], [false, null, watched.map(({ id }) => id)]);
  receive("call.ended", { sessionID: watched[0].id, reason: "busy" });
  assert.deepEqual([watched[0].isOver, calls.heldIDs], [true, [watched[1].id]]);
  await calls.place({ userID: "mia", userTitle: "Mia" }, media);
  assert.equal(calls.isBusy, true);
  await settled();
  calls.hangUp();
  await settled();
  assert.deepEqual([calls.heldIDs, told.map(([, what]) => what)], [[], ["hangup", "hangup"]]);
});
