// What the page says to people in their language, above all when something does not work.

import { UnreachableError } from "./api.js";
import {
  ageText, bitRateText, dayAndTimeText, durationText, millisecondText, percentText, timeText,
} from "./formats.js";
import { language } from "./language.js";
import { texts as english } from "./texts/en.js";

export { distanceText, durationText, sizeText } from "./formats.js";

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

/** A text of a section, with what it is made of; undefined where the section has no such key, whatever that is. */
function textOf(section, key, ...parts) {
  const text = Object.hasOwn(texts[section], key) ? texts[section][key] : undefined;
  return typeof text === "function" ? text(...parts) : text;
}

export function stateText(call) {
  const { userTitle: who } = call.party;
  return call.isOver ? outcomeText(call.outcome, who) : textOf("callStates", call.state, who);
}

/** Why a call is over, for its outcome as call.js records it. */
export function outcomeText({ kind, reason, error, isOwn }, who) {
  const { outcomes } = texts;
  if (isOwn) return outcomes.ended;
  if (kind === "rejected") return textOf("rejections", reason, who) ?? outcomes.rejectedBecause(who, reason);
  if (kind === "missed") return textOf("misses", reason, who) ?? outcomes.missed(who);
  if (kind === "ended") return textOf("endings", reason, who) ?? outcomes.endedBecause(reason);
  if (reason === "no-media") return outcomes.noMedia(who);
  return errorText(error);
}

/** Any error that a request or the browser can throw. */
export function errorText(error) {
  if (error.name === "AbortError") return texts.errors.stopped;
  if (error.name === "TimeoutError") return texts.errors.timeout;
  if (error.status) return textOf("problems", problemName(error)) ?? textOf("httpProblems", error.status) ?? `${error.message}.`;
  if (error instanceof UnreachableError) return texts.errors.unreachable;
  return texts.errors.browser(error.message);
}

/** What stands beside the switch while nothing is wrong. */
export function pushText({ isWanted, isRegistered }) {
  return isWanted && isRegistered ? texts.push.on : "";
}

/** Why this device cannot ring while the page is closed. */
export function pushErrorText(error) {
  if (error.status === 404) return texts.problems["push-off"];
  if (error.name === "NotAllowedError") return texts.pushObstacles.denied;
  if (error.name === "AbortError") return texts.push.noService;
  return textOf("pushObstacles", error.reason) ?? errorText(error);
}

/** A call that was answered or declined in a notification rings no longer; `error` is what the hub says of it, or null. */
export function wantedCallText(verb, error) {
  if (!error) return texts.call.notInTime;
  if (problemName(error) === "answered-elsewhere") return texts.problems["answered-elsewhere"];
  return verb === "decline" ? texts.call.alreadyOver : texts.call.callerHungUp;
}

export function loginText(error) {
  return error.status === 429 ? texts.login.tooManyAttempts : errorText(error);
}

/** Why the device did not do what it was asked for. */
export function controlText({ action, reason, detail }) {
  const { controls } = texts;
  if (action === "swap-camera" && reason === "not-possible") return controls.noOtherCamera;
  if (action === "choose-camera" && reason === "not-possible") return controls.cannotShow;
  return textOf("refusedControls", detail) ?? textOf("refusedControls", reason)
    ?? (reason ? controls.refusedBecause(reason) : controls.refused);
}

/** An action's name as a button shows it: "open-door" is "Open door". */
export function actionLabel(name) {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A camera's name as a choice shows it. */
export function cameraLabel(name) {
  return textOf("cameras", name) ?? actionLabel(name);
}

/** What people call a kind of event. */
export function eventLabel(kind) {
  return textOf("eventKinds", kind) ?? actionLabel(String(kind));
}

/** The outcome of an action of the device. */
export function actionText({ name, isDone, reason, wait }) {
  const label = actionLabel(String(name));
  if (isDone) return texts.actions.done(label);
  const why = textOf("refusedActions", reason, label) ?? texts.actions.refusedBecause(label, reason);
  return wait ? `${why} ${texts.actions.tryAgain(durationText(wait))}` : why;
}

/** What a device noticed, where, when and how strongly. */
export function deviceEventText({ kind, source, camera, detail, start, end, score, isInterrupted, clockSynchronized }) {
  const { events } = texts;
  const begin = timeText(start);
  const hasEnd = end != null;
  const parts = [
    hasEnd ? events.span(begin, timeText(end)) : begin,
    hasEnd ? durationText((end - start) / 1000) : isInterrupted ? events.endUnknown : events.ongoing,
    Number.isFinite(score) ? events.score(score) : "", clockSynchronized === false ? events.clockNotSet : "",
  ];
  const what = `${textOf("eventKinds", kind) ?? kind}${detail ? ` (${detail})` : ""}`;
  const title = camera ? events.titleWithCamera(what, source, camera) : events.title(what, source);
  return { title, detail: parts.filter(Boolean).join(" · ") };
}

/** When a device recorded, for those who do not see the strip. */
export function recordingText({ start, end, isRunning, timeLapseInterval }) {
  const { spans } = texts;
  if (isRunning) return (timeLapseInterval ? spans.timeLapseOngoing : spans.ongoing)(timeText(start));
  return (timeLapseInterval ? spans.timeLapse : spans.recording)(timeText(start), timeText(end));
}

/** A device's manual recording, as it reports it. */
export function recordNowText({ isRecording, secondsLeft, problem }) {
  const { manualRecording } = texts;
  if (isRecording !== true) return manualRecording.ended;
  if (typeof problem === "string") return manualRecording.problem(problem);
  return Number.isFinite(secondsLeft) ? manualRecording.runningFor(Math.ceil(secondsLeft / 60)) : manualRecording.running;
}

/** Why a device does not record, in its own text where it has one. */
export function recordNowErrorText(error) {
  if (error.status === 403 || error.status === 409) return error.message;
  return error.status === 404 ? texts.manualRecording.absent : errorText(error);
}

export function deviceEventErrorText(error) {
  if (error.status === 403) return texts.events.refused;
  return error.status === 404 ? texts.events.absent : errorText(error);
}

export function snapshotErrorText(error) {
  if (error.status === 403) return texts.snapshot.refused;
  return error.status === 404 ? texts.snapshot.absent : errorText(error);
}

/** What a device warns of during a call; empty for warnings of a kind that this page does not know. */
export function warningText(data) {
  const { warnings } = texts;
  try {
    const { reason, secondsLeft, media, hidesAddresses } = JSON.parse(data);
    if (reason === "max-duration") return warnings.maxDuration(secondsLeft);
    if (reason === "not-heard") return warnings.notHeard;
    if (reason === "heard") return warnings.heard;
    if (reason === "no-path") return hidesAddresses === true ? warnings.hiddenAddresses : warnings.noPath;
    const cause = textOf("missingMedia", reason);
    return cause ? warnings.missing(missingMediaText(media), cause) : "";
  } catch {
    return "";
  }
}

function missingMediaText(media) {
  const names = Array.isArray(media) ? media : [];
  const { warnings } = texts;
  if (names.includes("audio") && names.includes("video")) return warnings.noMedia;
  return names.includes("audio") ? warnings.noAudio : warnings.noVideo;
}

/**
 * What the panel of a call's quality shows of a reading (see QualityMeter): rows of a name and a value, or of what is
 * received and what is sent. Losses and jitter of what is sent are those that the other side reports.
 */
export function qualityRows(reading) {
  const { quality } = texts;
  const { received, sent } = reading ?? { received: {}, sent: {} };
  const both = (name, words) => [name, words(received) || "–", words(sent) || "–"];
  const known = (value, words) => (value == null ? "" : words(value));
  const way = reading?.way && textOf("paths", reading.way);
  return [
    [quality.path, [way, reading?.protocol?.toUpperCase()].filter(Boolean).join(", ") || "–"],
    [quality.roundTrip, known(reading?.roundTrip, millisecondText) || "–"],
    both(quality.video, ({ video }) => videoText(video)),
    both(quality.frameRate, ({ video }) => known(video?.frameRate, (rate) => `${Math.round(rate)}/s`)),
    both(quality.videoBitRate, ({ video }) => known(video?.bitRate, bitRateText)),
    both(quality.audio, ({ audio }) => codecText(audio?.codec)),
    both(quality.audioBitRate, ({ audio }) => known(audio?.bitRate, bitRateText)),
    both(quality.loss, ({ loss }) => known(loss, (part) => percentText(part, 1))),
    both(quality.jitter, ({ jitter }) => known(jitter, millisecondText)),
  ];
}

function videoText(video) {
  const size = video?.width ? `${video.width}×${video.height}` : "";
  return [size, codecText(video?.codec)].filter(Boolean).join(", ");
}

function codecText(codec) {
  return codec === "opus" ? "Opus" : codec ?? "";
}

/** What is missing of one's own camera and microphone (`sent` is what was to be given); empty when nothing is. */
export function captureText(failure, stream, sent) {
  const { capture } = texts;
  if (!sent.audio && !sent.video) return capture.watchingOnly;
  if (!failure) return "";
  const cause = textOf("captureFailures", failure.name) ?? capture.failed;
  const kinds = new Set((stream?.getTracks() ?? []).map((track) => track.kind));
  if (kinds.has("audio")) return capture.notSeen(cause);
  return kinds.has("video") ? capture.notHeard(cause) : capture.neither(cause);
}

/** Why a message would have no reader just now; empty when it has one. */
export function chatText({ state, party }) {
  if (["preparing", "calling", "ringing"].includes(state)) return texts.chat.notYet(party.userTitle);
  return state === "ended" ? texts.chat.over : "";
}

export function statusText(status) {
  return textOf("statuses", status) ?? status;
}

/** A program by what it calls itself (`User-Agent`), as far as people know it. */
export function clientText(client) {
  const name = [["Edg/", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]]
    .find(([mark]) => client.includes(mark))?.[1];
  const system = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"],
    ["Mac OS", "macOS"], ["Linux", "Linux"]].find(([mark]) => client.includes(mark))?.[1];
  if (name) return system ? texts.logins.client(name, system) : name;
  return client.slice(0, 60) || texts.logins.unknownClient;
}

/** From where and since when an account is logged in; times are milliseconds since 1970. */
export function loginTimeText(address, startedAt, renewedAt) {
  return texts.logins.times(address, dayAndTimeText(startedAt), dayAndTimeText(renewedAt));
}

/** That this page is online; `isPolled`: a proxy buffers its event stream, which its administrator can change. */
export function onlineText(isPolled) {
  return isPolled ? texts.bar.onlineByPolling : texts.bar.online;
}

/** While there is no event stream; `retryAfter` is how long the hub asks to wait, in seconds, or null. */
export function lostHubText(retryAfter) {
  return retryAfter === null ? texts.bar.unreachable : texts.bar.overloaded(retryAfter);
}

/**
 * How old the position is that a distance is measured to; empty while it is as good as new: who stands still says so with
 * each heartbeat, minutes apart.
 */
export function positionAgeText(seconds) {
  return seconds > 300 ? texts.list.positionAge(ageText(seconds)) : "";
}

/** `type` may be a bare name or a URI that ends in it; a proxy's answer may have anything there. */
function problemName({ type }) {
  return String(type).split(/[/#:]/).pop();
}
