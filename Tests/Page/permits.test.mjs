import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { actionsOf, isCalling, showsManagement, showsSnapshots } from "../../Sources/Hub/HubHTTP/web/permits.js";

const device = { kind: "device", status: "available", isAudio: true, isVideo: true };
const actions = (more, isOperator = true) => actionsOf({ ...device, ...more }, { isOperator }).join(" ");

test("a device that says nothing is asked for everything; what it keeps is for operators", () => {
  assert.equal(actions({}), "video audio watch snapshot events archives invite");
  assert.equal(actions({}, false), "video audio watch");
  assert.equal(actions({ permits: null }, false), "video audio watch");
});

test("what a device does not permit is left out, and the first that remains is the main one", () => {
  assert.equal(actions({ permits: ["watch", "recordings", "record", "later"] }), "watch archives invite");
  assert.equal(actions({ permits: [] }), "");
  assert.equal(actions({ permits: ["snapshot"] }, false), "");
});

test("recordings are managed where a device says so, or says nothing", () => {
  const shows = (permits) => showsManagement({ ...device, permits });
  assert.deepEqual([shows(undefined), shows(["recordings"]), shows(["recordings", "manage"])], [true, false, true]);
});

test("media that a client lacks, people, and who is offline", () => {
  assert.equal(actions({ isVideo: false }), "audio events archives invite");
  assert.equal(actions({ kind: "person" }), "video audio");
  assert.equal(actions({ status: "offline" }), "");
});

test("snapshots are shown of offline devices, too, as far as they are there", () => {
  const shows = (more, isOperator = true) => showsSnapshots({ ...device, ...more }, { isOperator });
  assert.deepEqual([shows({}), shows({ status: "offline" }), shows({ permits: ["call"] }), shows({}, false), shows({ isVideo: false })],
    [true, true, false, false, false]);
  assert.deepEqual(["video", "audio", "watch", "snapshot", "events", "archives"].map(isCalling), [true, true, true, false, false, false]);
});
