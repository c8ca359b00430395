// Doing something once after a burst, but also while the burst continues.

/** Runs `action` when nothing has asked for it for a while, or when the first request has waited long enough. */
export class Settle {
  #action;
  #delay;
  #longest;
  #timer = null;
  #deadline = 0;

  /** Both in milliseconds. */
  constructor(action, { delay, longest }) {
    this.#action = action;
    this.#delay = delay;
    this.#longest = longest;
  }

  /** Asks for the action. */
  soon() {
    const now = performance.now();
    if (this.#timer === null) this.#deadline = now + this.#longest;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), Math.max(0, Math.min(this.#delay, this.#deadline - now)));
  }

  cancel() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #run() {
    this.#timer = null;
    this.#action();
  }
}
