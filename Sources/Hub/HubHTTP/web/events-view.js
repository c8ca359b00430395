// What a device noticed and recorded on one day.

import { dayAfter, dayFromText, dayOf, dayText } from "./days.js";
import { DeviceEvents, regionOf, timeOfEvent } from "./device-events.js";
import { byID, fromTemplate, setText } from "./dom.js";
import { timeText } from "./formats.js";
import { RecordNow } from "./record-now.js";
import { Thumbnails } from "./thumbnails.js";
import { offsetIn, recordingAt, recordingsIn } from "./timeline.js";
import { TimelinePeek } from "./timeline-peek.js";
import { TimelineView } from "./timeline-view.js";
import { deviceEventErrorText, deviceEventText, eventLabel, texts } from "./view-texts.js";

/** More pages than these are loaded on demand. */
const pagesAtOnce = 5;

/**
 * A device and a day; another one reloads everything. Dispatches `archive` (detail: `{user, archiveID, seconds, camera}`) when
 * a recording is to be shown from a moment on, that of a further camera where the event is of one.
 */
export class EventsView extends EventTarget {
  #hub;
  #user = null;
  #day = null;
  /** What is loaded of the day that shows; a late answer for another one finds that it is not its own any more. */
  #events = null;
  #recordings = [];
  /** Whether the device has recorded more on this day than it reports at once. */
  #hasMoreRecordings = false;
  #thumbnails = null;
  #timeline = new TimelineView();
  #peek = null;
  #recordNow;
  /** The event to be pointed out once its row is there. */
  #wanted = null;

  constructor(hub) {
    super();
    this.#hub = hub;
    this.#recordNow = new RecordNow(hub);
    this.#recordNow.addEventListener("changed", () => this.#show(this.#day));
    byID("device-events-again").addEventListener("click", () => this.#show(this.#day));
    byID("device-events-more").addEventListener("click", () => this.#loadMore());
    byID("day-before").addEventListener("click", () => this.#show(dayAfter(this.#day, -1)));
    byID("day-after").addEventListener("click", () => this.#show(dayAfter(this.#day)));
    this.#timeline.addEventListener("peek", ({ detail }) => this.#peek?.show(detail));
    byID("event-kind").addEventListener("change", () => this.#filter());
    this.#timeline.addEventListener("choose", ({ detail }) => this.#chosen(detail));
    byID("day").addEventListener("change", () => this.#show(dayFromText(byID("day").value) ?? this.#day));
  }

  /** Today's events, or those of the day of one event (by its id), which is pointed out. */
  open(user, eventID = null) {
    this.close();
    this.#user = user;
    byID("device-events").hidden = false;
    byID("device-events-heading").textContent = texts.events.headingOf(user.userTitle);
    byID("device-events").scrollIntoView({ block: "nearest" });
    this.#recordNow.open(user);
    this.#wanted = eventID;
    return this.#show(dayOf(timeOfEvent(eventID) ?? Date.now()));
  }

  close() {
    this.#clear();
    this.#recordNow.close();
    this.#user = null;
    byID("device-events").hidden = true;
  }

  #clear() {
    this.#thumbnails?.end();
    this.#peek?.end();
    this.#peek = null;
    byID("event-kind").value = "";
    byID("event-kind").hidden = true;
    this.#events = null;
    this.#recordings = [];
    this.#hasMoreRecordings = false;
    this.#timeline.clear();
    byID("device-event-list").replaceChildren();
    byID("device-events-more").hidden = true;
  }

  #show(day) {
    this.#clear();
    const { userID } = this.#user;
    this.#day = day;
    byID("day").value = dayText(day);
    byID("day-after").disabled = day.before > Date.now();
    this.#thumbnails = new Thumbnails((eventID) => this.#hub.eventImage(userID, eventID));
    this.#peek = new TimelinePeek(({ eventId, archiveId }) =>
      eventId ? this.#hub.eventImage(userID, eventId) : this.#hub.archiveThumbnail(userID, archiveId));
    const events = (this.#events = new DeviceEvents((span) => this.#hub.deviceEvents(userID, span), day));
    return this.#load(async () => {
      const answer = await this.#hub.recordings(userID, day);
      if (this.#events !== events) return;
      this.#recordings = recordingsIn(answer, Date.now());
      this.#hasMoreRecordings = answer?.hasMore === true;
      await this.#loadPages(events);
    });
  }

  #loadMore() {
    return this.#load(() => this.#loadPages(this.#events));
  }

  /** Shows that the device is asked, and the outcome. */
  async #load(ask) {
    const events = this.#events;
    const more = byID("device-events-more");
    more.disabled = true;
    setText(byID("device-events-state"), texts.events.asking);
    try {
      await ask();
      if (this.#events !== events) return;
      more.hidden = !events.hasMore;
      const none = events.items.length ? "" : texts.events.none;
      const missing = this.#hasMoreRecordings ? texts.events.latestRecordingsOnly : "";
      setText(byID("device-events-state"), `${none} ${missing}`.trim());
    } catch (error) {
      if (this.#events === events) setText(byID("device-events-state"), deviceEventErrorText(error));
    } finally {
      if (this.#events === events) more.disabled = false;
    }
  }

  async #loadPages(events) {
    for (let page = 0; page < pagesAtOnce && events.hasMore; page += 1) {
      const items = await events.loadMore();
      if (this.#events !== events) return;
      byID("device-event-list").append(...items.map((event) => this.#row(event)));
      this.#timeline.show(this.#day, this.#recordings, events.items);
      this.#offerKinds();
      this.#filter();
      this.#pointOut();
    }
  }

  #offerKinds() {
    const [select, kinds] = [byID("event-kind"), [...new Set(this.#events.items.map(({ kind }) => kind))].sort()];
    const { value } = select;
    select.replaceChildren(...["", ...kinds].map((kind) => {
      const option = document.createElement("option");
      Object.assign(option, { value: kind, textContent: kind ? eventLabel(kind) : texts.events.anyKind });
      return option;
    }));
    select.value = kinds.includes(value) ? value : "";
    select.hidden = kinds.length < 2;
  }

  #filter() {
    const { value } = byID("event-kind");
    this.#timeline.filter(value);
    for (const row of byID("device-event-list").children) row.hidden = Boolean(value && row.dataset.kind !== value);
  }

  /** A moment, of an event or within a recording, is to be seen. */
  #chosen({ time, event, recording = recordingAt(time, this.#recordings, event?.archives) }) {
    if (!recording) {
      setText(byID("device-events-state"), texts.events.notRecorded(timeText(time)));
      rowOf(event.id)?.scrollIntoView({ block: "nearest" });
      return;
    }
    const detail = { user: this.#user, archiveID: recording.id, seconds: offsetIn(recording, time), camera: event?.camera };
    this.dispatchEvent(new CustomEvent("archive", { detail }));
  }

  #pointOut() {
    const row = this.#wanted === null ? null : rowOf(this.#wanted);
    if (!row) return;
    this.#wanted = null;
    row.dataset.wanted = "";
    row.scrollIntoView({ block: "nearest" });
  }

  #row(event) {
    const row = fromTemplate("event-template");
    const { title, detail } = deviceEventText(event);
    Object.assign(row.dataset, { eventId: event.id, kind: event.kind });
    row.querySelector(".title").textContent = title;
    row.querySelector(".detail").textContent = detail;
    const button = row.querySelector("button");
    button.hidden = !recordingAt(event.start, this.#recordings, event.archives);
    button.setAttribute("aria-label", texts.events.recordingOf(`${title}, ${detail}`));
    button.addEventListener("click", () => this.#chosen({ time: event.start, event }));
    if (event.picture) this.#addImage(row, event);
    return row;
  }

  #addImage(row, event) {
    this.#thumbnails.add(row.querySelector("img"), event.id);
    const place = regionOf(event);
    const frame = row.querySelector(".region");
    frame.hidden = !place;
    for (const [side, percent] of Object.entries(place ?? {})) frame.style[side] = `${percent}%`;
  }
}

function rowOf(eventID) {
  return byID("device-event-list").querySelector(`[data-event-id="${CSS.escape(eventID)}"]`);
}
