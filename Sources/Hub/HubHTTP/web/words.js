// What the page says to people, above all when something does not work.

import { UnreachableError } from "./api.js";

const rejections = {
  "declined": (who) => `${who} declined the call.`,
  "busy": (who) => `${who} is in another call. Try again in a moment.`,
  "not-allowed": (who) => `${who} does not accept calls from you. Ask whoever looks after it for permission.`,
  "outside-hours": (who) => `${who} does not take calls at this time of day.`,
  "rate-limited": (who) => `${who} was called too often just now. Wait a few minutes and try again.`,
  "not-acceptable": (who) => `${who} cannot talk to this browser: they have no sound or picture format in common.`,
};

const endings = {
  "hangup": (who) => `${who} hung up.`,
  "rejected": (who) => `${who} did not accept the call.`,
  "unanswered": (who) => `${who} did not answer.`,
  "vanished": (who) => `${who} went offline.`,
  "connection-lost": (who) => `The connection to ${who} was lost.`,
  "max-duration": () => "The call reached the longest time allowed and was ended.",
  "glare": (who) => `${who} was calling you at the same moment; that call goes on instead.`,
  "shutdown": (who) => `${who} is being switched off or restarted.`,
  "error": (who) => `The call ended because of a fault at ${who}.`,
};

const problems = {
  "not-authenticated": "You are logged out. Log in again.",
  "bad-credentials": "That name and password do not match.",
  "not-allowed": "You are not allowed to do that.",
  "not-found": "That is no longer there.",
  "receiver-offline": "They are offline just now.",
  "session-unknown": "This call is already over.",
  "session-exists": "This call was already placed.",
  "session-ended": "This call is already over.",
  "wrong-state": "That is not possible at this point of the call.",
  "glare": "They are calling you at this very moment: answer that call.",
  "event-stream-gone": "The connection to the hub was interrupted. Try again in a moment.",
  "invalid-request": "The hub did not understand the request. Reload the page and try again.",
  "rate-limited": "Too many requests. Wait a moment and try again.",
  "device-timeout": "The device did not answer in time. Try again.",
  "too-large": "That is too long to send.",
  "internal": "The hub has a fault. Try again later.",
};

const problemsByStatus = {
  400: "The hub did not understand the request. Reload the page and try again.",
  401: "You are logged out. Log in again.",
  403: "You are not allowed to do that.",
  404: "That is no longer there.",
  409: "Another call is in the way. Try again.",
  413: "That is too long to send.",
  421: "The hub does not serve this address. Open the page under the address you were given.",
  422: "The hub did not accept what was sent.",
  429: "Too many requests. Wait a moment and try again.",
  500: "The hub has a fault. Try again later.",
  502: "The device could not be reached through the hub.",
  503: "The hub is overloaded or being restarted. Try again in a moment.",
  504: "The device did not answer in time. Try again.",
};

const captures = {
  NotAllowedError:
    "the browser may not use your camera or microphone. Allow it beside the address to be seen and heard",
  NotFoundError: "no camera or microphone was found",
  NotReadableError: "your camera or microphone is in use by another program",
  AbortError: "your camera or microphone could not be started",
  OverconstrainedError: "your camera or microphone cannot do what a call needs",
  SecurityError: "this page may not use a camera or microphone",
  InsecureContext: "a camera needs a secure (https) address",
};

const refusedControls = {
  "not-allowed": "The device does not let you do that.",
  "not-possible": "The device cannot do that at the moment.",
  "unknown-action": "The device cannot do that.",
};

const states = {
  preparing: () => "Starting your camera and microphone …",
  calling: (who) => `Calling ${who} …`,
  ringing: (who) => `${who} is ringing …`,
  offered: (who) => `${who} is calling you.`,
  connecting: (who) => `Connecting with ${who} …`,
  connected: (who) => `Connected with ${who}.`,
  reconnecting: (who) => `The connection to ${who} is interrupted. Reconnecting …`,
};

const statuses = { "available": "Available", "busy": "In a call", "do-not-disturb": "Do not disturb" };

const noMedia = (who) =>
  `Sound and picture did not get through to ${who} within 15 seconds. A firewall may be in the way.`;

export function stateWords(call) {
  return call.isOver ? outcomeWords(call.outcome, call.party.userTitle) : states[call.state](call.party.userTitle);
}

/** Why a call is over, for its outcome as call.js records it. */
export function outcomeWords({ kind, reason, error, isOwn }, who) {
  if (isOwn) return "Call ended.";
  if (kind === "rejected") return rejections[reason]?.(who) ?? `${who} did not accept the call (${reason}).`;
  if (kind === "ended") return endings[reason]?.(who) ?? `The call ended (${reason}).`;
  if (reason === "no-media") return noMedia(who);
  return errorWords(error);
}

/** Any error that a request or the browser can throw. */
export function errorWords(error) {
  if (error.name === "AbortError") return "Stopped.";
  if (error.status) return problems[problemName(error)] ?? problemsByStatus[error.status] ?? `${error.message}.`;
  if (error instanceof UnreachableError) return "The hub cannot be reached. Check your network.";
  return `Something went wrong in this browser: ${error.message}`;
}

export function loginWords(error) {
  if (error.status === 401 || error.status === 403) return "That name and password do not match.";
  if (error.status === 429) return "Too many attempts. Wait a minute and try again.";
  return errorWords(error);
}

/** Why the device did not do what it was asked for. */
export function controlWords({ reason }) {
  return refusedControls[reason] ?? `The device could not do that${reason ? ` (${reason})` : ""}.`;
}

/** What a device warns of during a call; empty for warnings of a kind that this page does not know. */
export function warningWords(data) {
  try {
    const { reason, secondsLeft } = JSON.parse(data);
    return reason === "max-duration" ? `The call will be ended in ${secondsLeft} seconds.` : "";
  } catch {
    return "";
  }
}

/** What is missing of one's own camera and microphone (`sent` is what was to be given); empty when nothing is. */
export function captureWords(failure, stream, sent) {
  if (!sent.audio && !sent.video) return "You watch and listen only: you are neither seen nor heard.";
  if (!failure) return "";
  const cause = captures[failure.name] ?? "your camera or microphone could not be opened";
  const kinds = new Set((stream?.getTracks() ?? []).map((track) => track.kind));
  if (kinds.has("audio")) return `You are heard, not seen: ${cause}.`;
  if (kinds.has("video")) return `You are seen, not heard: ${cause}.`;
  return `You watch and listen only: ${cause}.`;
}

export function statusWords(status) {
  return statuses[status] ?? status;
}

export function distanceWords(metres) {
  const isFar = metres >= 1000;
  return new Intl.NumberFormat(undefined, {
    style: "unit", unit: isFar ? "kilometer" : "meter", maximumFractionDigits: metres >= 10_000 || !isFar ? 0 : 1,
  }).format(isFar ? metres / 1000 : metres);
}

export function durationWords(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export function sizeWords(bytes) {
  return new Intl.NumberFormat(undefined, {
    style: "unit", unit: bytes >= 1e6 ? "megabyte" : "kilobyte", maximumFractionDigits: bytes >= 1e6 ? 1 : 0,
  }).format(bytes / (bytes >= 1e6 ? 1e6 : 1e3));
}

/** `type` may be a bare name or a URI that ends in it. */
function problemName({ type = "" }) {
  return type.split(/[/#:]/).pop();
}
