// Steps that must not overlap, one after the other.

export class Turns {
  #last = Promise.resolve();

  /** Runs `step` after all that were given before it, and returns what it returns. */
  take(step) {
    const result = this.#last.then(step);
    this.#last = result.catch(() => {});
    return result;
  }
}
