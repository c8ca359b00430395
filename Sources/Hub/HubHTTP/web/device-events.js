// What a device has noticed in a span of time, page after page.

/** Events of one span, the newest first. */
export class DeviceEvents {
  #load;
  #from;
  #before;
  items = [];
  /** Whether there are earlier ones that were not loaded. */
  hasMore = true;

  /** `load` asks the device for a page: `({from, before})` gives `{items, hasMore}`. */
  constructor(load, { from, before }) {
    this.#load = load;
    this.#from = from;
    this.#before = before;
  }

  /** Loads the next page and returns what is new. A device that repeats itself gets no further questions. */
  async loadMore() {
    const page = await this.#load({ from: this.#from, before: this.#before });
    const items = (Array.isArray(page?.items) ? page.items : [])
      .filter((event) => isEvent(event) && event.start >= this.#from && event.start < this.#before);
    this.items.push(...items);
    this.hasMore = page?.hasMore === true && items.length > 0 && items.at(-1).start > this.#from;
    if (items.length) this.#before = items.at(-1).start;
    return items;
  }
}

function isEvent(event) {
  return typeof event?.id === "string" && Number.isFinite(event.start) && (event.end == null || Number.isFinite(event.end));
}
