// Which of a device's cameras is seen in the call that is on, where this person may choose.

import { byID, notify } from "./dom.js";
import { cameraLabel, errorText } from "./texts.js";

/** More choices than a device has cameras are no device's. */
const maxCameras = 8;

/** How long the device may take to show another one; then the choice is open again. */
const answerLimit = 10_000;

let call = null;
/** What is seen, as far as the device has reported. */
let seen = null;
/** Ends the wait for the device's answer. */
let limit = null;

export function bindCameraChoice() {
  byID("camera-choice").addEventListener("change", () => choose(byID("camera-choice").value));
}

/** Shows no choice until the device of `next` says what there is. */
export function followCameras(next) {
  call = next;
  show([]);
  next.addEventListener("signal", ({ detail }) => {
    if (next !== call || !next.isWithDevice || detail.type !== "cameras") return;
    const { cameras, camera } = parse(detail.data);
    show(cameras, camera);
  });
  next.addEventListener("result", ({ detail }) => {
    if (next === call && detail.action === "choose-camera") settle(detail);
  });
  next.addEventListener("state", () => {
    if (next === call && next.isOver) show([]);
  });
}

function parse(text) {
  try {
    const { cameras, camera } = JSON.parse(text);
    return Array.isArray(cameras) ? { cameras: cameras.map(String), camera: String(camera) } : { cameras: [] };
  } catch {
    return { cameras: [] };
  }
}

function show(cameras, camera) {
  const options = cameras.slice(0, maxCameras).map((name) => new Option(cameraLabel(name), name));
  byID("camera-choice").replaceChildren(...options);
  byID("camera-choice").hidden = options.length < 2;
  setWaiting(false);
  select(camera);
}

function select(camera) {
  seen = camera;
  byID("camera-choice").value = camera;
}

async function choose(camera) {
  const own = call;
  setWaiting(true);
  try {
    await own.control("choose-camera", camera);
  } catch (error) {
    if (own !== call) return;
    settle({ isDone: false });
    notify(errorText(error));
  }
}

function setWaiting(isWaiting) {
  clearTimeout(limit);
  byID("camera-choice").disabled = isWaiting;
  if (isWaiting) limit = setTimeout(() => settle({ isDone: false }), answerLimit);
}

/** The choice is what is seen: the old one again where the device refused. */
function settle({ isDone, target }) {
  setWaiting(false);
  select(isDone ? target : seen);
}
