// What a mark or span of the strip shows, while a pointer or the focus is on it.

import { byID } from "./dom.js";

/** A pointer that passes by asks nothing, in milliseconds. */
const pause = 200;
/** Images that are kept. */
const capacity = 60;

export class TimelinePeek {
  #load;
  #urls = new Map();
  #timer = null;
  #shown = null;

  /** `load` fetches the image of an event or recording, `{eventId}` or `{archiveId}`, as a blob. */
  constructor(load) {
    this.#load = load;
  }

  show(target) {
    clearTimeout(this.#timer);
    this.#shown = target;
    byID("timeline-peek").hidden = true;
    if (target) this.#timer = setTimeout(() => this.#fetch(target), pause);
  }

  end() {
    this.show(null);
    for (const url of this.#urls.values()) URL.revokeObjectURL(url);
    this.#urls.clear();
    this.#load = null;
  }

  async #fetch(target) {
    const key = target.eventId ?? target.archiveId;
    try {
      if (!this.#urls.has(key)) this.#keep(key, await this.#load(target));
    } catch {
      // The title of the mark is complete without an image.
      return;
    }
    if (this.#shown === target && this.#load) this.#place(target, this.#urls.get(key));
  }

  #keep(key, blob) {
    if (!this.#load) return;
    if (this.#urls.size >= capacity) {
      const [oldest, url] = this.#urls.entries().next().value;
      URL.revokeObjectURL(url);
      this.#urls.delete(oldest);
    }
    this.#urls.set(key, URL.createObjectURL(blob));
  }

  #place({ button }, url) {
    const image = document.createElement("img");
    Object.assign(image, { src: url, alt: "", className: "thumbnail" });
    const label = document.createElement("span");
    label.textContent = button.title;
    const peek = byID("timeline-peek");
    peek.replaceChildren(image, label);
    peek.hidden = false;
  }
}
