// What a device noticed on one day.

import { dayAfter, dayFromText, dayOf, dayText } from "./days.js";
import { DeviceEvents } from "./device-events.js";
import { byID, fromTemplate, setWords } from "./dom.js";
import { Thumbnails } from "./thumbnails.js";
import { deviceEventErrorWords, deviceEventWords } from "./words.js";

/** A device and a day; another one makes everything anew. */
export class EventsView {
  #hub;
  #user = null;
  #day = null;
  /** What is loaded of the day that shows; a late answer for another one finds that it is not its own any more. */
  #events = null;
  #thumbnails = null;

  constructor(hub) {
    this.#hub = hub;
    byID("device-events-close").addEventListener("click", () => this.close());
    byID("device-events-again").addEventListener("click", () => this.#show(this.#day));
    byID("device-events-more").addEventListener("click", () => this.#loadMore());
    byID("day-before").addEventListener("click", () => this.#show(dayAfter(this.#day, -1)));
    byID("day-after").addEventListener("click", () => this.#show(dayAfter(this.#day)));
    byID("day").addEventListener("change", () => this.#show(dayFromText(byID("day").value) ?? this.#day));
  }

  open(user) {
    this.close();
    this.#user = user;
    byID("device-events").hidden = false;
    byID("device-events-heading").textContent = `Events of ${user.userTitle}`;
    byID("device-events").scrollIntoView({ block: "nearest" });
    return this.#show(dayOf(Date.now()));
  }

  close() {
    this.#clear();
    this.#user = null;
    byID("device-events").hidden = true;
  }

  #clear() {
    this.#thumbnails?.end();
    this.#events = null;
    byID("device-event-list").replaceChildren();
    byID("device-events-more").hidden = true;
  }

  #show(day) {
    this.#clear();
    const { userID } = this.#user;
    this.#day = day;
    byID("day").value = dayText(day);
    byID("day-after").disabled = day.before > Date.now();
    this.#thumbnails = new Thumbnails((eventID) => this.#hub.eventPicture(userID, eventID));
    this.#events = new DeviceEvents((span) => this.#hub.deviceEvents(userID, span), day);
    return this.#loadMore();
  }

  async #loadMore() {
    const events = this.#events;
    const more = byID("device-events-more");
    more.disabled = true;
    setWords(byID("device-events-state"), "Asking the device …");
    try {
      const items = await events.loadMore();
      if (this.#events !== events) return;
      byID("device-event-list").append(...items.map((event) => this.#row(event)));
      more.hidden = !events.hasMore;
      setWords(byID("device-events-state"), events.items.length ? "" : "Nothing was noticed on this day.");
    } catch (error) {
      if (this.#events === events) setWords(byID("device-events-state"), deviceEventErrorWords(error));
    } finally {
      more.disabled = false;
    }
  }

  #row(event) {
    const row = fromTemplate("event-template");
    const { title, detail } = deviceEventWords(event);
    Object.assign(row.dataset, { eventId: event.id, kind: event.kind });
    row.querySelector(".title").textContent = title;
    row.querySelector(".detail").textContent = detail;
    if (event.picture) this.#thumbnails.add(row.querySelector("img"), event.id);
    return row;
  }
}
