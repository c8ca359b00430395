// What the page says to people, above all when something does not work.

import { UnreachableError } from "./api.js";
import { eventKinds } from "./event-kinds.js";
import { language } from "./language.js";
import { texts as english } from "./texts/en.js";

/** Of the page's language; English where that is not to be had. */
export const texts = language === "de" ? await germanTexts() : english;

async function germanTexts() {
  try {
    return (await import("./texts/de.js")).texts;
  } catch {
    return english;
  }
}

/** Attributes that people read or are read to. */
const readAttributes = ["aria-label", "title", "placeholder", "alt"];

/** Translates what the document has in English: `data-text` names an element's text, `data-label` that of its attributes. */
export function translate(root = document) {
  if (texts === english) return;
  if (root === document) document.documentElement.lang = language;
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = textAt(element.dataset.text);
  for (const element of root.querySelectorAll("[data-label]")) {
    for (const name of readAttributes) {
      if (element.hasAttribute(name)) element.setAttribute(name, textAt(element.dataset.label));
    }
  }
  for (const { content } of root.querySelectorAll("template")) translate(content);
}

function textAt(path) {
  const [section, key] = path.split(".");
  return texts[section][key];
}

// These tables are indexed by codes from devices and hubs, and have only their own properties.

const rejections = {
  __proto__: null,
  "unanswered": (who) => `${who} did not answer.`,
  "declined": (who) => `${who} declined the call.`,
  "busy": (who) => `${who} is busy. Try again in a moment.`,
  "not-allowed": (who) => `${who} does not accept calls from you. Ask its operator for permission.`,
  "outside-hours": (who) => `${who} does not take calls at this time of day.`,
  "rate-limited": (who) => `${who} was called too often just now. Wait a few minutes and try again.`,
  "not-verified": (who) => `${who} could not verify who you are; its log says why. Hub and device may need an upgrade.`,
  "not-acceptable": (who) => `${who} cannot talk to this browser: they have no audio or video format in common.`,
};

const endings = {
  __proto__: null,
  "hangup": (who) => `${who} hung up.`,
  "rejected": (who) => `${who} did not accept the call.`,
  "unanswered": (who) => `${who} did not answer.`,
  "vanished": (who) => `${who} went offline.`,
  "unreachable": (who) => `${who} is offline, and no phone of theirs could be reached.`,
  "answered-elsewhere": (who) => `Another person has answered the call from ${who}.`,
  "connection-lost": (who) => `The connection to ${who} was lost.`,
  "max-duration": () => "The call reached the longest time allowed and was ended.",
  "glare": (who) => `${who} was calling you at the same moment; that call continues instead.`,
  "not-verified": (who) => `${who} could not verify who you are; its log says why. Hub and device may need an upgrade.`,
  "shutdown": (who) => `${who} is being switched off or restarted.`,
  "error": (who) => `The call ended because of a fault at ${who}.`,
};

/** Of a call that this page rang for and did not answer. */
const misses = {
  __proto__: null,
  "answered-elsewhere": (who) => `The call from ${who} was answered elsewhere.`,
  "declined": (who) => `You declined the call from ${who} elsewhere.`,
  "rejected": (who) => `You declined the call from ${who} elsewhere.`,
  "busy": (who) => `${who} called while you were in another call.`,
  "vanished": (who) => `You missed a call from ${who}, who went offline.`,
};

const problems = {
  __proto__: null,
  "not-authenticated": "You are logged out. Log in again.",
  "bad-credentials": "That name and password do not match.",
  "not-allowed": "You are not allowed to do that.",
  "host-not-allowed": "The hub does not answer to the name in this page's address. Open the page under the address " +
    "you were given; the hub's operator can add the name to allowed_hosts in hub.toml.",
  "origin-not-allowed": "The hub does not take requests from a page at this address. The hub's operator " +
    "can add the address to allowed_origins in hub.toml, or have the proxy pass the Host header on.",
  "title-taken": "That name belongs to an account with a password.",
  "bad-title": "That name cannot be used: it is too long, mixes alphabets, or has characters that cannot be seen.",
  "not-found": "That is no longer there.",
  "receiver-offline": "They are offline just now.",
  "session-unknown": "This call is already over.",
  "session-exists": "This call was already placed.",
  "session-ended": "This call is already over.",
  "wrong-state": "That is not possible at this point of the call.",
  "answered-elsewhere": "You have answered this call in another tab or on another device.",
  "glare": "They are calling you at this very moment: answer that call.",
  "push-off": "This hub rings no phones: its operator has not turned that on.",
  "event-stream-gone": "The connection to the hub was interrupted. Try again in a moment.",
  "invalid-request": "The hub did not understand the request. Reload the page and try again.",
  "rate-limited": "Too many requests. Wait a moment and try again.",
  "overloaded": "The hub has too much to do just now. Try again in a moment.",
  "device-timeout": "The device did not answer in time. Try again.",
  "device-faulty": "What the device sent cannot be shown.",
  "device-unable": "The device cannot do that just now; its status says why.",
  "too-large": "That is too long to send.",
  "header-too-large": "A header of that request is too long.",
  "too-busy": "The hub has no room for another connection. Try again in a moment.",
  "request-timeout": "The hub waited too long for the request. Try again.",
  "malformed-request": "The hub did not understand the request. Reload the page and try again.",
  "target-too-long": "The hub did not understand the request. Reload the page and try again.",
  "method-not-allowed": "The hub cannot do that. Reload the page and try again.",
  "not-implemented": "The hub cannot do that. Reload the page and try again.",
  "expectation-failed": "The hub cannot do that. Reload the page and try again.",
  "internal": "The hub has a fault. Try again later.",
};

const problemsByStatus = {
  __proto__: null,
  400: "The hub did not understand the request. Reload the page and try again.",
  401: "You are logged out. Log in again.",
  403: "You are not allowed to do that.",
  404: "That is no longer there.",
  405: "The hub cannot do that. Reload the page and try again.",
  408: "The hub waited too long for the request. Try again.",
  409: "Another call is in the way. Try again.",
  413: "That is too long to send.",
  421: "The hub does not serve this address. Open the page under the address you were given.",
  422: "The hub did not accept what was sent.",
  429: "Too many requests. Wait a moment and try again.",
  431: "The hub did not understand the request. Reload the page and try again.",
  500: "The hub has a fault. Try again later.",
  502: "The device could not be reached through the hub.",
  503: "The hub is overloaded or being restarted. Try again in a moment.",
  504: "The device did not answer in time. Try again.",
};

const captures = {
  __proto__: null,
  NotAllowedError:
    "the browser may not use your camera or microphone. Allow it beside the address to be seen and heard",
  NotFoundError: "no camera or microphone was found",
  NotReadableError: "your camera or microphone is in use by another program",
  AbortError: "your camera or microphone could not be started",
  OverconstrainedError: "your camera or microphone cannot do what a call needs",
  SecurityError: "this page may not use a camera or microphone",
  InsecureContext: "a camera needs a secure (https) address",
};

/** By the reason, or by the detail that says more about it. */
const refusedControls = {
  __proto__: null,
  "role": "The device takes that from operators only.",
  "policy": "The device's policy does not let callers do that.",
  "muted-at-device": "It was muted at the device, and can only be unmuted there.",
  "muted-by-other": "It is also muted by a party in another call with the device.",
  "not-allowed": "The device does not let you do that.",
  "not-possible": "The device cannot do that at the moment.",
  "unknown-action": "The device cannot do that.",
  "rate-limited": "That was too often: wait a little.",
};

const refusedActions = {
  __proto__: null,
  "not-allowed": "the device does not let you do that.",
  "unknown-action": "the device cannot do that.",
  "rate-limited": "that was done too often.",
  "pin-needed": "it needs the PIN.",
  "wrong-pin": "the PIN is wrong.",
  "locked": "there were too many wrong PINs.",
  "not-possible": "the device cannot check the PIN at the moment.",
  "busy": "it is being done already.",
  "failed": "the device tried, and it failed.",
};

const states = {
  __proto__: null,
  preparing: () => "Starting your camera and microphone …",
  calling: (who) => `Calling ${who} …`,
  ringing: (who) => `${who} is ringing …`,
  offered: (who) => `${who} is calling you.`,
  connecting: (who) => `Connecting with ${who} …`,
  connected: (who) => `Connected with ${who}.`,
  reconnecting: (who) => `The connection to ${who} is interrupted. Reconnecting …`,
};

const statuses = {
  __proto__: null,
  "available": "Available", "busy": "Busy", "do-not-disturb": "Do not disturb", "unknown": "Unknown",
};

const noMedia = (who) =>
  `Audio and video did not get through to ${who} within 15 seconds. A firewall may be in the way.`;

export function stateText(call) {
  return call.isOver ? outcomeText(call.outcome, call.party.userTitle) : states[call.state](call.party.userTitle);
}

/** Why a call is over, for its outcome as call.js records it. */
export function outcomeText({ kind, reason, error, isOwn }, who) {
  if (isOwn) return "Call ended.";
  if (kind === "rejected") return rejections[reason]?.(who) ?? `${who} did not accept the call (${reason}).`;
  if (kind === "missed") return misses[reason]?.(who) ?? `You missed a call from ${who}.`;
  if (kind === "ended") return endings[reason]?.(who) ?? `The call ended (${reason}).`;
  if (reason === "no-media") return noMedia(who);
  return errorText(error);
}

/** Any error that a request or the browser can throw. */
export function errorText(error) {
  if (error.name === "AbortError") return "Stopped.";
  if (error.name === "TimeoutError") return "The hub did not answer in time. Check your network and try again.";
  if (error.status) return problems[problemName(error)] ?? problemsByStatus[error.status] ?? `${error.message}.`;
  if (error instanceof UnreachableError) return "The hub cannot be reached. Check your network.";
  return `Something went wrong in this browser: ${error.message}`;
}

/** Why this device cannot ring while the page is closed. */
const pushObstacles = {
  __proto__: null,
  "insecure": "That needs a secure (https) address of the page.",
  "home-screen": "On an iPhone or iPad, add this page to the home screen first: Share, then Add to Home Screen. Open it " +
    "from there, and switch this on.",
  "unsupported": "This browser has no push messages, or not in a private window.",
  "denied": "The browser blocks notifications of this page. Allow them beside the address, then try again.",
  "undecided": "The browser was not allowed to show notifications.",
};

/** What stands beside the switch while nothing is wrong. */
export function pushText({ isWanted, isRegistered }) {
  return isWanted && isRegistered ? "This device rings, and stays logged in, until you log out here." : "";
}

export function pushErrorText(error) {
  if (pushObstacles[error.reason]) return pushObstacles[error.reason];
  if (error.status === 404) return problems["push-off"];
  if (error.name === "NotAllowedError") return pushObstacles.denied;
  if (error.name === "AbortError") return "The browser's push service cannot be reached just now. Try again later.";
  return errorText(error);
}

export const loginToAnswerText = "Log in to answer the call.";

export function declinedText(who) {
  return `You declined the call from ${who}.`;
}

/** A call that was answered or declined in a notification rings no longer; `error` is what the hub says of it, or null. */
export function wantedCallText(verb, error) {
  if (!error) return "The call did not get through to this page in time.";
  if (problemName(error) === "answered-elsewhere") return problems["answered-elsewhere"];
  return verb === "decline" ? "The call is already over." : "The caller hung up before you answered.";
}

export function loginText(error) {
  if (error.status === 429) return "Too many attempts. Wait a minute and try again.";
  return errorText(error);
}

/** Why the device did not do what it was asked for. */
export function controlText({ action, reason, detail }) {
  if (action === "swap-camera" && reason === "not-possible") return "The device has no other camera.";
  if (action === "choose-camera" && reason === "not-possible") return "The device cannot show that camera.";
  return refusedControls[detail] ?? refusedControls[reason]
    ?? `The device could not do that${reason ? ` (${reason})` : ""}.`;
}

/** An action's name as a button shows it: "open-door" is "Open door". */
export function actionLabel(name) {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const cameraNames = { __proto__: null, device: "Main camera", mosaic: "All cameras" };

/** A camera's name as a choice shows it. */
export function cameraLabel(name) {
  return cameraNames[name] ?? actionLabel(name);
}

/** What a device noticed, where, when and how strongly. */
export function deviceEventText({ kind, source, camera, detail, start, end, score, isInterrupted, clockSynchronized }) {
  const begin = new Date(start).toLocaleTimeString();
  const time = end != null ? `${begin} to ${new Date(end).toLocaleTimeString()}` : begin;
  const parts = [
    time, end != null ? durationText((end - start) / 1000) : isInterrupted ? "its end is unknown" : "ongoing",
    Number.isFinite(score) ? `score ${score}` : "", clockSynchronized === false ? "the device’s clock was not set" : "",
  ];
  const what = `${eventKinds[kind]?.label ?? kind}${detail ? ` (${detail})` : ""}`;
  return { title: `${what} at ${source}${camera ? `, camera ${camera}` : ""}`, detail: parts.filter(Boolean).join(" · ") };
}

/** When a device recorded, for those who do not see the strip. */
export function recordingText({ start, end, isRunning, timeLapseInterval }) {
  const kind = timeLapseInterval ? "Time-lapse" : "Recording";
  const begin = new Date(start).toLocaleTimeString();
  return isRunning ? `${kind} since ${begin}, ongoing` : `${kind}, ${begin} to ${new Date(end).toLocaleTimeString()}`;
}

/** A device's manual recording, as it reports it. */
export function recordNowText({ isRecording, secondsLeft, problem }) {
  if (isRecording !== true) return "The manual recording has ended.";
  if (typeof problem === "string") return `The device cannot record just now, and tries again: ${problem}`;
  const end = Number.isFinite(secondsLeft) ? `, for ${Math.ceil(secondsLeft / 60)} min at most` : "";
  return `The device is recording${end}; that will be among its recordings.`;
}

/** Why a device does not record, in its own text where it has one. */
export function recordNowErrorText(error) {
  if (error.status === 403 || error.status === 409) return error.message;
  if (error.status === 404) return "The device cannot be asked to record: it is not online, or older than the hub.";
  return errorText(error);
}

export function deviceEventErrorText(error) {
  if (error.status === 403) return "The device does not show its events to operators.";
  if (error.status === 404) return "The device reports no events, or is not online.";
  return errorText(error);
}

/** The outcome of an action of the device. */
export function actionText({ name, isDone, reason, wait }) {
  const label = actionLabel(String(name));
  if (isDone) return `${label}: done.`;
  const why = refusedActions[reason] ?? `the device refused (${reason}).`;
  return `${label}: ${why}${wait ? ` Try again in ${durationText(wait)}.` : ""}`;
}

const noPath = "No connection yet: a firewall seems to lie between. The hub's operator can set up a TURN server.";
const hiddenAddresses = "No connection yet: this browser hides its addresses, and a firewall seems to lie between. " +
  "Allow this page the microphone or camera, or have a TURN server set up at the hub.";

/** Why a device does not carry what this side has offered. */
const missingMedia = {
  __proto__: null,
  "no-common-codec": "this browser and the device have no format in common.",
  "not-bundled": "this side offers a connection of its own for it, and the device has one for all.",
  "not-encrypted": "this side offers it without the encryption that the device needs.",
  "no-rtcp-mux": "this side offers two ports for it, and the device has one.",
};

function mediaText(media) {
  const names = Array.isArray(media) ? media : [];
  if (names.includes("audio") && names.includes("video")) return "No audio and no video";
  return names.includes("audio") ? "No audio" : "No video";
}

/** What a device warns of during a call; empty for warnings of a kind that this page does not know. */
export function warningText(data) {
  try {
    const { reason, secondsLeft, media, hidesAddresses } = JSON.parse(data);
    if (reason === "max-duration") return `The call will be ended in ${secondsLeft} seconds.`;
    if (reason === "not-heard") return "You are not heard, since enough others are talking. You can watch and listen.";
    if (reason === "no-path") return hidesAddresses === true ? hiddenAddresses : noPath;
    if (reason === "heard") return "You are heard now.";
    return missingMedia[reason] ? `${mediaText(media)}: ${missingMedia[reason]}` : "";
  } catch {
    return "";
  }
}

/**
 * What the panel of a call's quality shows of a reading (see QualityMeter): rows of a name and a value, or of what is
 * received and what is sent. Losses and jitter of what is sent are those that the other side reports.
 */
export function qualityRows(reading) {
  const { received, sent } = reading ?? { received: {}, sent: {} };
  const both = (name, words) => [name, words(received) || "–", words(sent) || "–"];
  return [
    ["Path", [ways[reading?.way], reading?.protocol?.toUpperCase()].filter(Boolean).join(", ") || "–"],
    ["Round trip", millisecondText(reading?.roundTrip) || "–"],
    both("Video", ({ video }) => videoText(video)),
    both("Frame rate", ({ video }) => (video?.frameRate == null ? "" : `${Math.round(video.frameRate)}/s`)),
    both("Video bit rate", ({ video }) => bitRateText(video?.bitRate)),
    both("Audio", ({ audio }) => codecText(audio?.codec)),
    both("Audio bit rate", ({ audio }) => bitRateText(audio?.bitRate)),
    both("Lost packets", ({ loss }) => (loss == null ? "" : `${(loss * 100).toFixed(1)} %`)),
    both("Jitter", ({ jitter }) => millisecondText(jitter)),
  ];
}

const ways = { host: "direct", reflexive: "direct, through a router", relay: "through a relay" };

function videoText(video) {
  const size = video?.width ? `${video.width}×${video.height}` : "";
  return [size, codecText(video?.codec)].filter(Boolean).join(", ");
}

function codecText(codec) {
  return codec === "opus" ? "Opus" : codec ?? "";
}

function millisecondText(seconds) {
  return seconds == null ? "" : `${Math.round(seconds * 1000)} ms`;
}

function bitRateText(rate) {
  if (rate == null) return "";
  return rate >= 1e6 ? `${(rate / 1e6).toFixed(1)} Mbit/s` : `${Math.round(rate / 1e3)} kbit/s`;
}

/** Of a call that comes in during another. */
export function waitingText(who) {
  return `${who} is calling you as well.`;
}

/** What is missing of one's own camera and microphone (`sent` is what was to be given); empty when nothing is. */
export function captureText(failure, stream, sent) {
  if (!sent.audio && !sent.video) return "You watch and listen only: you are neither seen nor heard.";
  if (!failure) return "";
  const cause = captures[failure.name] ?? "your camera or microphone could not be opened";
  const kinds = new Set((stream?.getTracks() ?? []).map((track) => track.kind));
  if (kinds.has("audio")) return `You are heard, not seen: ${cause}.`;
  if (kinds.has("video")) return `You are seen, not heard: ${cause}.`;
  return `You watch and listen only: ${cause}.`;
}

/** Why a message would have no reader just now; empty when it has one. */
export function chatText({ state, party }) {
  const { userTitle: who } = party;
  if (["preparing", "calling", "ringing"].includes(state)) return `You can write when ${who} has answered.`;
  return state === "ended" ? "The call is over." : "";
}

export function statusText(status) {
  return statuses[status] ?? status;
}

export function distanceText(metres) {
  const isFar = metres >= 1000;
  return new Intl.NumberFormat(undefined, {
    style: "unit", unit: isFar ? "kilometer" : "meter", maximumFractionDigits: metres >= 10_000 || !isFar ? 0 : 1,
  }).format(isFar ? metres / 1000 : metres);
}

/** A program by what it calls itself (`User-Agent`), as far as people know it. */
export function clientText(client) {
  const name = [["Edg/", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]]
    .find(([mark]) => client.includes(mark))?.[1];
  const system = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"],
    ["Mac OS", "macOS"], ["Linux", "Linux"]].find(([mark]) => client.includes(mark))?.[1];
  if (name) return system ? `${name} on ${system}` : name;
  return client.slice(0, 60) || "Unknown program";
}

/** From where and since when an account is logged in; times are milliseconds since 1970. */
export function loginTimeText(address, startedAt, renewedAt) {
  const words = (time) => new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return `from ${address}, since ${words(startedAt)}, last used ${words(renewedAt)}`;
}

/** That this page is online; `isPolled`: a proxy buffers its event stream, which its administrator can change. */
export function onlineText(isPolled) {
  if (!isPolled) return "Online";
  return "Online, with delay: a proxy before the hub buffers the event stream (v1/events)";
}

/** While there is no event stream; `retryAfter` is how long the hub asks to wait, in seconds, or null. */
export function lostHubText(retryAfter) {
  if (retryAfter === null) return "The hub cannot be reached. Trying again …";
  return `The hub has too much to do just now. Trying again in about ${retryAfter} s …`;
}

/**
 * How old the position is that a distance is measured to; empty while it is as good as new: who stands still says so with
 * each heartbeat, minutes apart.
 */
export function positionAgeText(seconds) {
  if (!(seconds > 300)) return "";
  const [unit, length] = seconds < 3_600 ? ["minute", 60] : seconds < 86_400 ? ["hour", 3_600] : ["day", 86_400];
  const age = new Intl.NumberFormat(undefined, { style: "unit", unit }).format(Math.floor(seconds / length));
  return `position ${age} old`;
}

export function durationText(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export function sizeText(bytes) {
  return new Intl.NumberFormat(undefined, {
    style: "unit", unit: bytes >= 1e6 ? "megabyte" : "kilobyte", maximumFractionDigits: bytes >= 1e6 ? 1 : 0,
  }).format(bytes / (bytes >= 1e6 ? 1e6 : 1e3));
}

/** `type` may be a bare name or a URI that ends in it; a proxy's answer may have anything there. */
function problemName({ type }) {
  return String(type).split(/[/#:]/).pop();
}
