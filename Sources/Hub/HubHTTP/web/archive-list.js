// What a list of recordings is of: kinds, cameras, callers, titles and days. No DOM.

import { dayOf } from "./days.js";
import { durationText, sizeText, timeText } from "./formats.js";
import { locale } from "./language.js";
import { cameraLabel } from "./texts.js";
import { eventLabel, texts } from "./view-texts.js";

/** Why a recording was made: `call`, `event`, `plan` or `manual`. */
export function kindOf({ callerID, event, plans, files = [] }) {
  if (callerID || files.some(({ streamId }) => streamId === "caller" || streamId === "receiver")) return "call";
  if (event) return "event";
  return plans?.length && !plans.includes("manual") ? "plan" : "manual";
}

/** The names of the cameras that a recording shows; the device's own stream is `device`. */
export function camerasOf({ files = [] }) {
  const names = files.map(({ camera, streamId }) => camera ?? (streamId === "device" ? "device" : null));
  return [...new Set(names.filter((name) => name !== null))];
}

/** Whom a recording is a call with: the party's title, or its id; null for others. */
export function partyOf(archive, findUser = () => null) {
  const { callerID, callerTitle, files = [] } = archive;
  const receiver = files.find(({ streamId }) => streamId === "receiver")?.connectionData;
  if (receiver) return findUser(receiver)?.userTitle ?? receiver;
  return callerTitle || (callerID ? findUser(callerID)?.userTitle ?? callerID : null);
}

/** What people call a recording. */
export function titleOf(archive, findUser) {
  if (archive.name) return archive.name;
  const party = partyOf(archive, findUser);
  switch (kindOf(archive)) {
    case "call": return party ? texts.recordings.callWith(party) : texts.recordings.call;
    case "event": return texts.recordings.event(eventLabel(archive.event.kind), archive.event.camera ?? archive.event.source);
    case "plan": return texts.recordings.plan(archive.plans.join(", "));
    default: return texts.recordings.byHand;
  }
}

/** When, how long and how large. */
export function detailOf(archive) {
  const cameras = camerasOf(archive).length;
  return [
    timeText(archive.createdAt), durationText(archive.duration ?? 0), sizeText(archive.size ?? 0),
    cameras > 1 ? texts.recordings.cameraCount(cameras) : "", archive.isLocked ? texts.recordings.locked : "",
    archive.status === "started" ? texts.recordings.running : "",
    archive.reason === "recovered" ? texts.recordings.recovered : "",
  ].filter(Boolean).join(" · ");
}

/** Those that match all that is chosen; an empty text matches everything. */
export function matching(archives, { kind = "", camera = "", caller = "" }, findUser) {
  return archives.filter((archive) => (!kind || kindOf(archive) === kind)
    && (!camera || camerasOf(archive).includes(camera)) && (!caller || partyOf(archive, findUser) === caller));
}

/** By day, as they come: `[{from, archives}]`. */
export function byDay(archives) {
  const days = [];
  for (const archive of archives) {
    const { from } = dayOf(archive.createdAt);
    if (days.at(-1)?.from !== from) days.push({ from, archives: [] });
    days.at(-1).archives.push(archive);
  }
  return days;
}

/** As "Today", "Yesterday" or the date. */
export function dayTitle(from, now) {
  const today = dayOf(now).from;
  if (from === today) return texts.recordings.today;
  if (from === dayOf(today - 1).from) return texts.recordings.yesterday;
  return new Date(from).toLocaleDateString(locale, { weekday: "long", year: "numeric", month: "long", day: "numeric" });
}

/** What streams of a recording are called. */
export function streamTitle({ id, camera, files }, archive, user, findUser) {
  if (id === "device") return user.userTitle;
  if (camera !== null) return cameraLabel(camera);
  const party = partyOf(archive, findUser);
  if (id === "caller") return party ?? texts.recordings.ofCaller;
  if (id === "receiver") return party ?? texts.recordings.ofReceiver;
  return files[0].connectionData || id;
}
