// Pauses between tries at the hub: of any length up to a limit that doubles, so that not all pages come back at the same
// time, or as long as the hub asks for.

/** No hub can have a page wait longer at a time, in milliseconds. */
const longestRequested = 120_000;

export class Pauses {
  #first;
  #longest;
  #limit;

  /** In milliseconds. */
  constructor(first, longest) {
    this.#first = this.#limit = first;
    this.#longest = longest;
  }

  /** A try has had lasting success. */
  reset() {
    this.#limit = this.#first;
  }

  /**
   * How long the next try has to wait, in milliseconds; `requested` is what the hub asked for, in whole seconds, or
   * null.
   */
  next(requested = null, random = Math.random()) {
    if (requested !== null) return Math.min(Math.max(requested, 1) * 1000, longestRequested) + 1000 * random;
    const pause = this.#limit * random;
    this.#limit = Math.min(this.#limit * 2, this.#longest);
    return pause;
  }
}
