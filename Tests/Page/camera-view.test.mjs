import { define, settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { bindCameraChoice, followCameras } from "../../Sources/Hub/HubHTTP/web/camera-view.js";
import { Clock } from "./support/clock.mjs";

function makeCall(control = async () => {}) {
  const call = Object.assign(new EventTarget(), { isWithDevice: true, isOver: false, control });
  call.send = (name, detail) => call.dispatchEvent(new CustomEvent(name, { detail }));
  call.list = (content) => {
    const data = typeof content === "string" ? content : JSON.stringify(content);
    call.send("signal", { type: "cameras", data });
  };
  return call;
}

function viewOf(t) {
  const clock = new Clock(t);
  const byID = makeDocument(t);
  define(t, "Option", class {
    constructor(text, value) { Object.assign(this, { text, value }); }
  });
  bindCameraChoice();
  const select = byID("camera-choice");
  const choose = (camera) => {
    select.value = camera;
    select.dispatchEvent(new Event("change"));
  };
  return { clock, byID, choose, select };
}

const both = { cameras: ["device", "gate"], camera: "device" };

test("the choice is what is seen: the old one again where the device refuses", async (t) => {
  const { choose, select } = viewOf(t);
  const call = makeCall();
  followCameras(call);
  call.list(both);
  assert.deepEqual([select.hidden, select.value, select.children.map(({ text }) => text)],
    [false, "device", ["Main camera", "Gate"]]);
  choose("gate");
  assert.equal(select.disabled, true);
  call.send("result", { action: "choose-camera", isDone: true, target: "gate" });
  assert.deepEqual([select.disabled, select.value], [false, "gate"]);
  choose("device");
  call.send("result", { action: "choose-camera", isDone: false, reason: "not-possible" });
  assert.deepEqual([select.disabled, select.value], [false, "gate"]);
});

test("a device that does not answer leaves the choice as it was after 10 s", async (t) => {
  const { clock, choose, select } = viewOf(t);
  const call = makeCall();
  followCameras(call);
  call.list(both);
  choose("gate");
  await clock.advance(9_999);
  assert.equal(select.disabled, true);
  await clock.advance(1);
  assert.deepEqual([select.disabled, select.value], [false, "device"]);
  choose("gate");
  call.send("result", { action: "choose-camera", isDone: true, target: "gate" });
  assert.equal(clock.timerCount, 0);
});

test("the failure of an earlier call's request changes nothing of the next", async (t) => {
  const { byID, choose, select } = viewOf(t);
  let fail;
  const call = makeCall(() => new Promise((_, reject) => { fail = reject; }));
  followCameras(call);
  call.list(both);
  choose("gate");
  const next = makeCall();
  followCameras(next);
  next.list({ cameras: ["device", "yard"], camera: "yard" });
  choose("device");
  fail(new Error("over"));
  await settled();
  assert.deepEqual([select.disabled, select.value, byID("notice").textContent], [true, "device", ""]);
});

test("one camera is no choice, nor is what is no list", (t) => {
  const { select } = viewOf(t);
  const call = makeCall();
  followCameras(call);
  for (const data of ["{", "null", "[]", { cameras: 5 }, { cameras: ["device"], camera: "device" }, {}]) {
    call.list(both);
    assert.equal(select.hidden, false);
    call.list(data);
    assert.equal(select.hidden, true, JSON.stringify(data));
  }
  call.list({ cameras: Array.from({ length: 50 }, (_, index) => `camera-${index}`), camera: "camera-0" });
  assert.equal(select.children.length, 8);
});
