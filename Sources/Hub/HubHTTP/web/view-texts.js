// What the page says in views that are loaded when they are opened; what it says before is in `texts.js`.

import { bitRateText, dayAndTimeText, durationText, millisecondText, percentText, timeText } from "./formats.js";
import { language } from "./language.js";
import { actionLabel, errorText, textIn, texts as first, translateBy } from "./texts.js";
import { texts as english } from "./texts/en-views.js";

const own = language === "de" ? await germanTexts() : english;
if (own !== english) translateBy(own);

/** Of the page's language, all that it says. */
export const texts = { ...first, ...own };

async function germanTexts() {
  try {
    return (await import("./texts/de-views.js")).texts;
  } catch {
    return english;
  }
}

/** Why the device did not do what it was asked for. */
export function controlText({ action, reason, detail }) {
  const { controls } = texts;
  if (action === "swap-camera" && reason === "not-possible") return controls.noOtherCamera;
  if (action === "choose-camera" && reason === "not-possible") return controls.cannotShow;
  return textIn(texts.refusedControls, detail) ?? textIn(texts.refusedControls, reason)
    ?? (reason ? controls.refusedBecause(reason) : controls.refused);
}

/** What people call a kind of event. */
export function eventLabel(kind) {
  return textIn(texts.eventKinds, kind) ?? actionLabel(String(kind));
}

/** The outcome of an action of the device. */
export function actionText({ name, isDone, reason, wait }) {
  const label = actionLabel(String(name));
  if (isDone) return texts.actions.done(label);
  const why = textIn(texts.refusedActions, reason, label) ?? texts.actions.refusedBecause(label, reason);
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
  const what = `${textIn(texts.eventKinds, kind) ?? kind}${detail ? ` (${detail})` : ""}`;
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

/** What a device warns of during a call; empty for warnings of a kind that this page does not know. */
export function warningText(data) {
  const { warnings } = texts;
  try {
    const { reason, secondsLeft, media, hidesAddresses } = JSON.parse(data);
    if (reason === "max-duration") return warnings.maxDuration(secondsLeft);
    if (reason === "not-heard") return warnings.notHeard;
    if (reason === "heard") return warnings.heard;
    if (reason === "no-path") return hidesAddresses === true ? warnings.hiddenAddresses : warnings.noPath;
    const cause = textIn(texts.missingMedia, reason);
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
  const way = reading?.way && textIn(texts.paths, reading.way);
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
  const cause = textIn(texts.captureFailures, failure.name) ?? capture.failed;
  const kinds = new Set((stream?.getTracks() ?? []).map((track) => track.kind));
  if (kinds.has("audio")) return capture.notSeen(cause);
  return kinds.has("video") ? capture.notHeard(cause) : capture.neither(cause);
}

/** Why a message would have no reader just now; empty when it has one. */
export function chatText({ state, party }) {
  if (["preparing", "calling", "ringing"].includes(state)) return texts.chat.notYet(party.userTitle);
  return state === "ended" ? texts.chat.over : "";
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
