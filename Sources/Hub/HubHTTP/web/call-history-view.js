// The list of calls that are over.

import { meaningOf, recordingDevice } from "./call-history.js";
import { dayAfter, dayOf } from "./days.js";
import { byID, fromTemplate, setText } from "./dom.js";
import { durationText, minuteText, weekdayText } from "./formats.js";
import { addressOf } from "./route.js";
import { errorText } from "./texts.js";
import { Thumbnails } from "./thumbnails.js";
import { texts } from "./view-texts.js";

/** Further pages are loaded on request, up to so many entries. */
const maximumEntries = 2_000;
/** What a device says that it permits, by what a call is placed for. */
const permissions = { video: "call", audio: "audio", watch: "watch" };

/** Shows the list; dispatches `again` (detail: `{party, media}`). */
export class CallHistoryView extends EventTarget {
  #history;
  #ownID;
  #findUser;
  #isOpen = false;
  #isBusy = false;
  #calls = [];
  #next = null;
  /** Lists are numbered as they are asked for; only the newest is shown. */
  #asked = 0;
  #loadImage;
  #thumbnails = null;
  /** Of recordings, by their ids: a list that is drawn again keeps them. */
  #images = new Map();

  /**
   * `ownID` gives this person's user id, `findUser` a user who is online by id, `loadImage(deviceID, archiveID)` a promise of a
   * recording's image, as a blob.
   */
  constructor(history, { ownID, findUser, loadImage }) {
    super();
    [this.#history, this.#ownID, this.#findUser, this.#loadImage] = [history, ownID, findUser, loadImage];
    history.addEventListener("call", () => { if (this.#isOpen) this.#load(); });
    byID("call-history-more").addEventListener("click", () => this.#loadMore());
    document.addEventListener("visibilitychange", () => this.#see());
  }

  open() {
    this.#isOpen = true;
    this.#endImages();
    this.#thumbnails = new Thumbnails(({ deviceID, archiveID }) => this.#loadImage(deviceID, archiveID));
    byID("call-history").hidden = false;
    byID("call-history-heading").focus();
    setText(byID("call-history-state"), this.#calls.length ? "" : texts.calls.loading);
    this.#load();
  }

  /** Nothing of it stays for who comes next. */
  close() {
    this.#isOpen = false;
    this.#asked += 1;
    this.#calls = [];
    this.#next = null;
    this.#endImages();
    byID("call-history").hidden = true;
    byID("call-history-days").replaceChildren();
    byID("call-history-more").hidden = true;
  }

  #endImages() {
    this.#thumbnails?.end();
    this.#images.clear();
  }

  /** While a call is on there can be no other. */
  setBusy(isBusy) {
    this.#isBusy = isBusy;
    if (this.#isOpen) this.#render();
  }

  async #load() {
    await this.#ask(null, ({ calls }) => calls);
    this.#see();
  }

  #loadMore() {
    return this.#ask(this.#next, ({ calls }) => [...this.#calls, ...calls].slice(0, maximumEntries));
  }

  async #ask(before, merged) {
    const number = ++this.#asked;
    byID("call-history-more").disabled = true;
    try {
      const page = await this.#history.page(before);
      if (number !== this.#asked) return;
      this.#calls = merged(page);
      this.#next = this.#calls.length < maximumEntries ? page.next ?? null : null;
      this.#render();
      setText(byID("call-history-state"), this.#calls.length ? "" : emptyText(page));
    } catch (error) {
      if (number === this.#asked) setText(byID("call-history-state"), errorText(error));
    } finally {
      byID("call-history-more").disabled = false;
    }
  }

  /** A list in a page that no one looks at is not seen. */
  #see() {
    if (this.#isOpen && this.#calls.length && document.visibilityState === "visible") {
      this.#history.see(this.#calls[0].endedAt);
    }
  }

  #render() {
    const days = new Map();
    for (const call of this.#calls) {
      const { from } = dayOf(call.startedAt);
      days.set(from, [...(days.get(from) ?? []), call]);
    }
    byID("call-history-days").replaceChildren(...[...days].flatMap(([from, calls]) => this.#day(from, calls)));
    byID("call-history-more").hidden = this.#next === null;
  }

  #day(from, calls) {
    const heading = document.createElement("h3");
    heading.textContent = dayTitle(from);
    const list = document.createElement("ul");
    list.className = "archive-list";
    list.append(...calls.map((call) => this.#entry(call)));
    return [heading, list];
  }

  #entry(call) {
    const meaning = meaningOf(call, this.#ownID());
    const entry = fromTemplate("call-template");
    Object.assign(entry.dataset, { sessionId: call.sessionID, outcome: call.outcome, missed: String(meaning.isMissed) });
    entry.querySelector(".title").textContent = meaning.isOwn
      ? meaning.party.userTitle : texts.calls.between(call.caller.userTitle, call.receiver.userTitle);
    entry.querySelector(".outcome").textContent = entryText(call, meaning);
    entry.querySelector(".time").textContent = minuteText(call.startedAt);
    this.#fillButtons(entry, call, meaning.party);
    return entry;
  }

  #fillButtons(entry, call, party) {
    const recording = entry.querySelector("a");
    const device = recordingDevice(call);
    recording.hidden = !call.archiveID || !device;
    if (!recording.hidden) {
      this.#addImage(entry, device.userID, call.archiveID);
      recording.href = addressOf({ view: "devices", id: device.userID, part: "recordings", item: call.archiveID });
      recording.setAttribute("aria-label", texts.calls.recordingOf(device.userTitle));
    }
    const again = entry.querySelector("button");
    again.disabled = this.#isBusy || !this.#mayCall(party, call.media);
    again.setAttribute("aria-label", texts.calls.callParty(party.userTitle));
    again.addEventListener("click", () => {
      this.dispatchEvent(new CustomEvent("again", { detail: { party, media: call.media } }));
    });
  }

  /** The recording's own image: who was at the door. */
  #addImage(entry, deviceID, archiveID) {
    const image = entry.querySelector(".thumbnail");
    const known = this.#images.get(archiveID);
    if (known) return image.replaceWith(known);
    this.#images.set(archiveID, image);
    this.#thumbnails.add(image, { deviceID, archiveID });
  }

  /** Whom the list lacks may have phones that ring; a device that permits less says so there. */
  #mayCall(party, media) {
    const permits = this.#findUser(party.userID)?.permits;
    return Object.hasOwn(permissions, media) && (!Array.isArray(permits) || permits.includes(permissions[media]));
  }
}

function emptyText({ retention }) {
  return retention > 0 ? texts.calls.none : texts.calls.off;
}

/** As "Missed", "Declined · outside its hours", or "Answered · 2:13 · Recorded". */
function entryText(call, { isIncoming, isOwn, isMissed, seconds }) {
  const outcomes = isOwn && !isIncoming ? texts.callsPlaced : texts.callsReceived;
  const parts = [
    isMissed ? texts.calls.missed : wordOf(outcomes, call.outcome),
    seconds === null ? reasonText(call.reason) : durationText(seconds),
    wordOf(texts.callMedia, call.media),
    call.isRecorded && !call.archiveID ? texts.calls.recorded : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** Why no one answered, where that is more than the outcome says. */
function reasonText(reason) {
  return Object.hasOwn(texts.callReasons, reason) ? texts.callReasons[reason] : "";
}

/** A later hub may have words that this page does not know. */
function wordOf(table, word) {
  return Object.hasOwn(table, word) ? table[word] : String(word);
}

function dayTitle(from) {
  const today = dayOf(Date.now());
  if (from === today.from) return texts.calls.today;
  if (from === dayAfter(today, -1).from) return texts.calls.yesterday;
  return weekdayText(from);
}
