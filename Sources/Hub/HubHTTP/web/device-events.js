// What a device has noticed in a span of time, page after page.

/** Events of one span, the newest first. */
export class DeviceEvents {
  #load;
  #from;
  #before;
  /** Where the next page begins, as the page before reported; null for the first one, and of devices of earlier versions. */
  #next = null;
  #ids = new Set();
  items = [];
  /** Whether there are earlier ones that were not loaded. */
  hasMore = true;

  /** `load` asks the device for a page: `({from, before, after})` gives `{items, hasMore, next}`. */
  constructor(load, { from, before }) {
    this.#load = load;
    this.#from = from;
    this.#before = before;
  }

  /** Loads the next page and returns what is new. A device that repeats itself gets no further questions. */
  async loadMore() {
    const page = await this.#load({ from: this.#from, before: this.#before, after: this.#next });
    const items = (Array.isArray(page?.items) ? page.items : []).filter((event) => this.#isNew(event));
    this.items.push(...items);
    for (const { id } of items) this.#ids.add(id);
    this.#next = typeof page?.next === "string" ? page.next : null;
    if (items.length) this.#before = items.at(-1).start + (this.#next === null ? 0 : 1);
    this.hasMore = page?.hasMore === true && items.length > 0 && this.#before > this.#from;
    return items;
  }

  #isNew(event) {
    return isEvent(event) && event.start >= this.#from && event.start < this.#before && !this.#ids.has(event.id);
  }
}

/** When an event began that has this id (such as `20261124T195512Z-9f3c01ab`), in milliseconds since 1970; null for no such id. */
export function timeOfEvent(id) {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{8}$/.exec(id ?? "");
  const time = parts ? Date.parse(`${parts.slice(1, 4).join("-")}T${parts.slice(4).join(":")}Z`) : NaN;
  return Number.isNaN(time) ? null : time;
}

/** Where in its image an event was, in percent of the image: `{left, top, width, height}`; null where unknown. */
export function regionOf({ region }) {
  const { x, y, width, height } = region ?? {};
  const isWithin = [x, y, width, height].every((part) => Number.isFinite(part) && part >= 0)
    && x + width <= 1000 && y + height <= 1000 && width > 0 && height > 0;
  return isWithin ? { left: x / 10, top: y / 10, width: width / 10, height: height / 10 } : null;
}

function isEvent(event) {
  return typeof event?.id === "string" && Number.isFinite(event.start) && (event.end == null || Number.isFinite(event.end));
}
