// Requests that are repeated for many things, a few at a time and no more often than the hub permits.

/** By how many things there are, how long each waits for its next turn, in milliseconds. */
export function pauseFor(count, { shortest, share }) {
  return Math.max(shortest, count * share);
}

/**
 * Has each key its turn again and again, `atOnce` at a time, those first that have waited longest.
 */
export class Rounds {
  /** Timers take no longer times than some weeks. */
  static #longest = 60_000;

  #run;
  #atOnce;
  #pace;
  /** By key, from when on its next turn is due; keys without turns keep theirs, so that coming back is no reason for a turn. */
  #due = new Map();
  #wanted = new Set();
  #running = new Set();
  #timer = null;
  #isOn = false;

  /** `run` gets a key and returns a promise, of how long to wait at least (milliseconds), or of nothing. */
  constructor(run, { atOnce, shortest, share }) {
    this.#run = run;
    this.#atOnce = atOnce;
    this.#pace = { shortest, share };
  }

  /** The keys that have turns from now on; a new one's is due at once. */
  set(keys) {
    this.#wanted = new Set(keys);
    for (const key of this.#wanted) if (!this.#due.has(key)) this.#due.set(key, performance.now());
    this.#next();
  }

  /** Forgets all keys. */
  clear() {
    this.#wanted.clear();
    this.#due.clear();
  }

  start() {
    this.#isOn = true;
    this.#next();
  }

  stop() {
    this.#isOn = false;
    clearTimeout(this.#timer);
  }

  #next() {
    clearTimeout(this.#timer);
    if (!this.#isOn) return;
    const now = performance.now();
    const waiting = [...this.#wanted].filter((key) => !this.#running.has(key))
      .map((key) => ({ key, due: this.#due.get(key) })).sort((one, other) => one.due - other.due);
    for (const { key, due } of waiting) {
      if (this.#running.size >= this.#atOnce) return;
      if (due > now) {
        this.#timer = setTimeout(() => this.#next(), Math.min(due - now, Rounds.#longest));
        return;
      }
      this.#turn(key);
    }
  }

  async #turn(key) {
    this.#running.add(key);
    const least = (await this.#run(key).catch(() => 0)) ?? 0;
    this.#running.delete(key);
    if (this.#due.has(key)) this.#due.set(key, performance.now() + Math.max(least, pauseFor(this.#wanted.size, this.#pace)));
    this.#next();
  }
}
