// When to try again what has failed: at once, then ever later.

const firstDelay = 1_000;
const longestDelay = 8_000;
/** After working for this long, the next retry is immediate. */
const settledAfter = 10_000;

/** Times are milliseconds of one monotonic clock. */
export class BackOff {
  #tries = 0;
  #upSince = null;

  /** It works since `now`. */
  up(now) {
    this.#upSince ??= now;
  }

  /** It works no longer. */
  down(now) {
    if (this.#upSince !== null && now - this.#upSince >= settledAfter) this.#tries = 0;
    this.#upSince = null;
  }

  /** How long the next try has to wait: 0, then 1, 2, 4, 8 and again 8 s, each a quarter more or less. */
  next(random = Math.random()) {
    const tries = this.#tries++;
    if (tries === 0) return 0;
    return Math.min(firstDelay * 2 ** (tries - 1), longestDelay) * (0.75 + random / 2);
  }
}
