// Images of events and recordings: fetched when they come into sight, one after another, so that they neither flood a device nor use up
// what the hub permits.

/** Loads images into elements. */
export class Thumbnails {
  #load;
  #waiting = [];
  #urls = [];
  #isLoading = false;
  #sight = new IntersectionObserver((entries) => this.#seen(entries));
  #ids = new WeakMap();

  /** `load` fetches the image of an event or recording by what names it, as a blob. */
  constructor(load) {
    this.#load = load;
  }

  /** The element has a place of its own from now on, and its image once it was visible. */
  add(image, id) {
    this.#ids.set(image, id);
    image.hidden = false;
    this.#sight.observe(image);
  }

  end() {
    this.#sight.disconnect();
    this.#waiting = [];
    for (const url of this.#urls.splice(0)) URL.revokeObjectURL(url);
    this.#load = null;
  }

  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      this.#sight.unobserve(target);
      this.#waiting.push(target);
    }
    this.#next();
  }

  async #next() {
    if (this.#isLoading || !this.#load) return;
    const image = this.#waiting.shift();
    if (!image) return;
    this.#isLoading = true;
    try {
      this.#show(image, await this.#load(this.#ids.get(image)));
    } catch {
      // A line is complete without an image, so a missing one is left out.
      image.hidden = true;
    }
    this.#isLoading = false;
    this.#next();
  }

  #show(image, blob) {
    if (!this.#load) return;
    const url = URL.createObjectURL(blob);
    this.#urls.push(url);
    image.src = url;
  }
}
