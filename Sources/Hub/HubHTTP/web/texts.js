// What the page says to people in their language, above all when something does not work; of views that are loaded when they are
// opened, see `view-texts.js`.

import { UnreachableError } from "./api.js";
import { ageText } from "./formats.js";
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

/** Translates what the document has in English. */
export function translate() {
  if (texts === english) return;
  document.documentElement.lang = language;
  translateBy(texts);
}

/** By the sections of `texts` alone: `data-text` names an element's text, `data-label` that of its attributes. */
export function translateBy(texts, root = document) {
  const each = (attribute, set) => {
    for (const element of root.querySelectorAll(`[${attribute}]`)) {
      const [section, key] = element.getAttribute(attribute).split(".");
      if (Object.hasOwn(texts, section)) set(element, texts[section][key]);
    }
  };
  each("data-text", (element, text) => { element.textContent = text; });
  each("data-label", (element, text) => {
    for (const name of readAttributes) if (element.hasAttribute(name)) element.setAttribute(name, text);
  });
  for (const { content } of root.querySelectorAll("template")) translateBy(texts, content);
}

/** A text of a section, with what it is made of; undefined where the section has no such key, whatever that is. */
export function textIn(section, key, ...parts) {
  const text = Object.hasOwn(section, key) ? section[key] : undefined;
  return typeof text === "function" ? text(...parts) : text;
}

export function stateText(call) {
  const { userTitle: who } = call.party;
  return call.isOver ? outcomeText(call.outcome, who) : textIn(texts.callStates, call.state, who);
}

/** Why a call is over, for its outcome as call.js records it. */
export function outcomeText({ kind, reason, error, isOwn }, who) {
  const { outcomes } = texts;
  if (isOwn) return outcomes.ended;
  if (kind === "rejected") return textIn(texts.rejections, reason, who) ?? outcomes.rejectedBecause(who, reason);
  if (kind === "missed") return textIn(texts.misses, reason, who) ?? outcomes.missed(who);
  if (kind === "ended") return textIn(texts.endings, reason, who) ?? outcomes.endedBecause(reason);
  if (reason === "no-media") return outcomes.noMedia(who);
  return errorText(error);
}

/** Any error that a request or the browser can throw. */
export function errorText(error) {
  if (error.name === "AbortError") return texts.errors.stopped;
  if (error.name === "TimeoutError") return texts.errors.timeout;
  if (error.status) return textIn(texts.problems, problemName(error)) ?? textIn(texts.httpProblems, error.status) ?? `${error.message}.`;
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
  return textIn(texts.pushObstacles, error.reason) ?? errorText(error);
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

/** An action's name as a button shows it: "open-door" is "Open door". */
export function actionLabel(name) {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A camera's name as a choice shows it. */
export function cameraLabel(name) {
  return textIn(texts.cameras, name) ?? actionLabel(name);
}

export function snapshotErrorText(error) {
  if (error.status === 403) return texts.snapshot.refused;
  return error.status === 404 ? texts.snapshot.absent : errorText(error);
}

export function statusText(status) {
  return textIn(texts.statuses, status) ?? status;
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
