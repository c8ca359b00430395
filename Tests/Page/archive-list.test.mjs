import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { clipOf } from "../../Sources/Hub/HubHTTP/web/archive-clip.js";
import { byDay, camerasOf, kindOf, matching, partyOf, streamTitle, titleOf } from "../../Sources/Hub/HubHTTP/web/archive-list.js";
import { clockText } from "../../Sources/Hub/HubHTTP/web/archive-player.js";

const stream = (streamId, more = {}) => ({ streamId, filename: `${streamId}.webm`, connectionData: "", ...more });
const call = { id: "c", createdAt: 0, callerID: "u1", callerTitle: "Reception", files: [stream("device"), stream("caller")] };
const motion = {
  id: "m", createdAt: 0, plans: ["walks"], event: { id: "e", kind: "motion", source: "walk", camera: "yard" },
  files: [stream("device"), stream("yard", { camera: "yard" })],
};
const plan = { id: "p", createdAt: 0, plans: ["nights"], files: [stream("device")] };
const manual = { id: "h", createdAt: 0, files: [stream("device")] };

test("titles say why there is a recording", () => {
  assert.deepEqual([call, motion, plan, manual].map((archive) => titleOf(archive)),
    ["Call with Reception", "Motion · yard", "Plan nights", "Recorded manually"]);
  assert.equal(titleOf({ ...call, name: "The parcel" }), "The parcel");
  assert.deepEqual([call, motion, plan, manual].map(kindOf), ["call", "event", "plan", "manual"]);
});

test("a party without a title has that of the list, or its id", () => {
  const old = { ...call, callerTitle: undefined };
  assert.equal(partyOf(old), "u1");
  assert.equal(partyOf(old, (id) => ({ userTitle: `Title of ${id}` })), "Title of u1");
  const placed = { files: [stream("receiver", { connectionData: "u2" })], callerID: "device", callerTitle: "Door" };
  assert.equal(partyOf(placed), "u2");
  assert.equal(streamTitle({ id: "caller", camera: null, files: call.files }, call, { userTitle: "Door" }), "Reception");
});

test("the filter takes what matches all", () => {
  const all = [call, motion, plan, manual];
  const ids = (filter) => matching(all, filter).map(({ id }) => id).join("");
  assert.equal(ids({}), "cmph");
  assert.equal(ids({ kind: "event" }), "m");
  assert.equal(ids({ camera: "yard" }), "m");
  assert.equal(ids({ camera: "device", kind: "call", caller: "Reception" }), "c");
  assert.equal(ids({ caller: "another" }), "");
  assert.deepEqual(camerasOf(motion), ["device", "yard"]);
});

test("days are grouped as they come", () => {
  const at = (day, hour) => new Date(2026, 10, day, hour).getTime();
  const days = byDay([at(27, 20), at(27, 1), at(26, 23)].map((createdAt) => ({ createdAt })));
  assert.deepEqual(days.map(({ archives }) => archives.length), [2, 1]);
});

test("a clip lies between its marks, and is not too long", () => {
  assert.equal(clipOf(null, null, 60), null);
  assert.deepEqual(clipOf(5.00049, 12, 60), { from: 5, to: 12 });
  assert.deepEqual(clipOf(50, null, 60), { from: 50, to: 60 });
  assert.deepEqual(clipOf(null, 90, 60), { from: 0, to: 60 });
  assert.equal(clipOf(0, 901, 2_000), null);
  assert.equal(clipOf(9, 9, 60), null);
});

test("times are read as on a clock", () => {
  assert.deepEqual([0, 59.96, 3_723.42].map(clockText), ["00:00.0", "01:00.0", "01:02:03.4"]);
});
