import "./support/environment.mjs";
import { apiDescription, rawValues, source, swiftSources } from "./support/sources.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { ProblemError, UnreachableError } from "../../Sources/Hub/HubHTTP/web/api.js";
import { eventKinds } from "../../Sources/Hub/HubHTTP/web/event-kinds.js";
import { bitRateText, distanceText, durationText, percentText, sizeText } from "../../Sources/Hub/HubHTTP/web/formats.js";
import * as first from "../../Sources/Hub/HubHTTP/web/texts.js";
import * as views from "../../Sources/Hub/HubHTTP/web/view-texts.js";

const texts = { ...first, ...views };
/** What any object has. */
const inherited = ["__defineGetter__", "__proto__", "constructor", "toString"];
const sessions = source("Sources/Core/Signalling/Sessions.swift");

/** The strings that a switch of a Swift property gives. */
function codes(text, property) {
  const body = new RegExp(`var ${property}: String\\??\\s*\\{(.*?)\\n  \\}`, "s").exec(text)[1];
  return [...body.matchAll(/: "([a-z-]+)"/g)].map(([, code]) => code);
}

function problems() {
  return Object.values(apiDescription().components.responses).flatMap(({ content }) => {
    const { type, status } = content["application/problem+json"].schema.properties;
    return (type.enum ?? [type.const]).map((name) => ({ type: name, status: status.const }));
  });
}

test("each problem of the hub's API has a text", () => {
  const listed = problems();
  assert.ok(listed.length >= 25);
  for (const { type, status } of listed) {
    const text = texts.errorText(new ProblemError({ type, status, title: "as the hub says" }));
    assert.ok(text && !text.includes("as the hub says"), `${type} (${status})`);
  }
});

test("each problem of the hub's sources has a text of its own, whatever its status", () => {
  const refusals = source("Sources/Hub/HubCore/HubRefusal.swift").matchAll(/\(\s*"([a-z][a-z-]+)",/g);
  const others = swiftSources("Sources/Hub/HubHTTP")
    .flatMap((text) => [...text.matchAll(/Problem\(\s*type: "([a-z-]+)"/g)]);
  // What the HTTP library refuses has one type, and a text for each status.
  const types = new Set([...refusals, ...others].map(([, type]) => type).filter((type) => type !== "http-error"));
  for (const type of ["bad-credentials", "origin-not-allowed", "internal", "rate-limited"]) assert.ok(types.has(type));
  for (const type of types) {
    assert.notEqual(texts.errorText(new ProblemError({ type, status: 299 })), "status 299.", type);
  }
});

test("statuses of requests that HTTP refuses have texts", () => {
  for (const status of [400, 401, 403, 404, 405, 408, 413, 429, 431, 500, 502, 503, 504]) {
    assert.notEqual(texts.errorText(new ProblemError({ type: "http-error", status })), `status ${status}.`);
  }
});

test("a problem's type may be a URI, missing, or no text at all", () => {
  const text = (type) => texts.errorText(new ProblemError({ type, status: 429 }));
  const wanted = "Too many requests. Wait a moment and try again.";
  const uris = ["https://hub.example/problems#rate-limited", "urn:problem:rate-limited"];
  for (const type of [...uris, ...inherited, undefined, null, 5, {}, []]) assert.equal(text(type), wanted);
});

test("errors of the browser and of the network have texts", () => {
  assert.match(texts.errorText(new DOMException("late", "TimeoutError")), /in time/);
  assert.equal(texts.errorText(new DOMException("", "AbortError")), "Stopped.");
  assert.match(texts.errorText(new UnreachableError("fetch failed")), /cannot be reached/);
  assert.match(texts.errorText(new TypeError("x is not a function")), /browser: x is not/);
});

test("each reason of a refused or ended call has a text", () => {
  const [rejections, endings] = ["RejectReason", "EndReason"].map((name) => rawValues(sessions, name));
  assert.ok(rejections.length >= 8 && endings.length >= 10);
  const cases = [...rejections.map((reason) => ["rejected", reason]), ...endings.map((reason) => ["ended", reason])];
  for (const [kind, reason] of cases) {
    assert.doesNotMatch(texts.outcomeText({ kind, reason }, "Front door"), /\(|undefined/, `${kind}: ${reason}`);
  }
});

test("other reasons are named, and what any object has says nothing", () => {
  for (const reason of [...inherited, "a-later-one"]) {
    for (const kind of ["rejected", "ended"]) {
      assert.ok(texts.outcomeText({ kind, reason }, "Mia").includes(`(${reason})`));
    }
    assert.equal(texts.outcomeText({ kind: "missed", reason }, "Mia"), "You missed a call from Mia.");
    assert.ok(texts.controlText({ action: "mute", reason }).includes(`(${reason})`));
    assert.ok(texts.actionText({ name: "open-door", reason }).includes(`(${reason})`));
    assert.equal(texts.statusText(reason), reason);
    assert.equal(texts.warningText(JSON.stringify({ reason })), "");
    assert.equal(texts.cameraLabel("toString"), "ToString");
  }
});

test("missed calls say why", () => {
  const missed = (reason) => texts.outcomeText({ kind: "missed", reason }, "Mia");
  assert.deepEqual(["answered-elsewhere", "declined", "hangup", "unanswered"].map(missed), [
    "The call from Mia was answered elsewhere.", "You declined the call from Mia elsewhere.",
    "You missed a call from Mia.", "You missed a call from Mia.",
  ]);
});

test("whatever a device refuses has a text", () => {
  const controls = source("Sources/Device/CallEngine/Calls/ControlRefusal.swift");
  const muting = rawValues(source("Sources/Device/CallEngine/Muting/MuteState.swift"), "Refusal");
  const controlCodes = [...codes(controls, "reason"), ...codes(controls, "detail"), ...muting];
  assert.ok(controlCodes.length >= 8, controlCodes.join());
  for (const reason of controlCodes) assert.doesNotMatch(texts.controlText({ action: "mute", reason }), /\(/, reason);
  const actionCodes = codes(source("Sources/Core/CallPolicy/ActionControl/ActionGate.swift"), "reasonCode");
  assert.ok(actionCodes.length >= 9, actionCodes.join());
  for (const reason of actionCodes) assert.doesNotMatch(texts.actionText({ name: "x", reason }), /\(/, reason);
});

test("whatever a device warns of has a text", () => {
  const missing = rawValues(source("Sources/Device/MediaPlaneAPI/MissingMedia.swift"), "Reason");
  const others = [...source("Sources/Device/CallEngine/Calls/CallWarning.swift").matchAll(/"reason":"([a-z-]+)"/g)];
  assert.ok(missing.length >= 4 && others.length >= 3);
  for (const reason of [...missing, ...others.map(([, code]) => code), "max-duration"]) {
    assert.ok(texts.warningText(JSON.stringify({ reason, secondsLeft: 30, media: ["video"] })), reason);
  }
  assert.equal(texts.warningText("{"), "");
  assert.match(texts.warningText("{\"reason\":\"not-bundled\",\"media\":\"x\"}"), /^No video: /);
});

test("each state of presence has a text", () => {
  const statuses = rawValues(source("Sources/Core/Signalling/Users.swift"), "PresenceStatus");
  assert.equal(statuses.length, 3);
  for (const status of [...statuses, "unknown"]) assert.match(texts.statusText(status), /^[A-Z][a-z ]+$/);
});

test("one can write while a call runs, and reads why not otherwise", () => {
  const text = (state) => texts.chatText({ state, party: { userTitle: "Mia" } });
  for (const state of ["connecting", "connected", "reconnecting"]) assert.equal(text(state), "");
  for (const state of ["preparing", "calling", "ringing"]) assert.match(text(state), /Mia has answered/);
  assert.match(text("ended"), /over/);
});

test("positions have an age when they are old", () => {
  assert.deepEqual([null, undefined, 300, 301, 3_599, 7_300, 200_000].map(texts.positionAgeText), [
    "", "", "", "position 5 min old", "position 59 min old", "position 2 hr old", "position 2 days old"]);
});

test("durations, distances and sizes", () => {
  assert.deepEqual([-1, 0, 59.6, 3_725].map(durationText), ["0:00", "0:00", "1:00", "1:02:05"]);
  assert.deepEqual([0, 999.4, 1_500, 12_345].map(distanceText), ["0 m", "999 m", "1.5 km", "12 km"]);
  assert.deepEqual([0, 1_500, 2_345_678].map(sizeText), ["0 kB", "2 kB", "2.3 MB"]);
  assert.deepEqual([999, 64_000, 1_000_000].map(bitRateText), ["1 kbit/s", "64 kbit/s", "1.0 Mbit/s"]);
  assert.deepEqual([percentText(0.5), percentText(0.0123, 1)], ["50%", "1.2%"]);
});

test("programs go by the names that people know", () => {
  const engine = "AppleWebKit/537.36 (KHTML, like Gecko)";
  assert.deepEqual([
    `Mozilla/5.0 (Windows NT 10.0) ${engine} Chrome/120.0 Safari/537.36 Edg/120.0`,
    `Mozilla/5.0 (Linux; Android 14) ${engine} Chrome/120.0 Mobile Safari/537.36`,
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1 Version/17.0 Safari/604.1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0", "curl/8.5", "", "x".repeat(90),
  ].map(texts.clientText), [
    "Edge on Windows", "Chrome on Android", "Safari on iPhone", "Firefox on Linux", "curl/8.5", "Unknown program",
    "x".repeat(60)]);
});

test("each kind of event has a label; an unknown one is its own", () => {
  const event = { source: "yard", start: 0, end: 2_000, score: 7 };
  for (const [kind, { label }] of Object.entries(eventKinds)) {
    assert.equal(texts.deviceEventText({ ...event, kind }).title, `${label} at yard`);
  }
  assert.equal(texts.deviceEventText({ ...event, kind: "constructor" }).title, "constructor at yard");
  assert.match(texts.deviceEventText({ ...event, kind: "motion" }).detail, /0:02 · score 7$/);
  const { start, source: place } = event;
  assert.match(texts.deviceEventText({ kind: "dark", source: place, start }).detail, /ongoing$/);
  assert.match(texts.deviceEventText({ kind: "dark", source: place, start, isInterrupted: true }).detail, /unknown$/);
});

test("what is missing of one's own media", () => {
  const both = { audio: true, video: true };
  const stream = (...kinds) => ({ getTracks: () => kinds.map((kind) => ({ kind })) });
  const failure = { name: "NotFoundError" };
  assert.equal(texts.captureText(null, stream("audio", "video"), both), "");
  assert.match(texts.captureText(failure, stream("audio"), both), /^Your camera is off: no camera/);
  assert.match(texts.captureText(failure, stream("video"), both), /^Your microphone is off/);
  assert.match(texts.captureText({ name: "toString" }, null, both), /^Watching only: your camera or microphone could not/);
  assert.match(texts.captureText(null, null, { audio: false, video: false }), /^Watching only\. Your camera/);
});

test("a device that records says how, and one that does not says why in its own text", () => {
  assert.match(texts.recordNowText({ isRecording: true, secondsLeft: 90 }), /for 2 min at most/);
  assert.match(texts.recordNowText({ isRecording: true, problem: "the disk is full" }), /the disk is full$/);
  assert.match(texts.recordNowText({ isRecording: "yes" }), /has ended/);
  assert.equal(texts.recordNowErrorText({ status: 409, message: "no disk" }), "no disk");
  assert.match(texts.recordNowErrorText({ status: 404 }), /not online/);
});
