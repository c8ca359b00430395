// Virtual time for the modules under test: their timers, clocks and time limits.

import { settled } from "./environment.mjs";

/** Starts at 0 and moves only by {@link advance}; the test's end brings the real clock back. */
export class Clock {
  now = 0;
  #timers = new Map();
  #lastID = 0;

  constructor(t) {
    const add = (run, milliseconds, period) => {
      this.#timers.set(++this.#lastID, { at: this.now + Math.max(0, milliseconds || 0), period, run });
      return this.#lastID;
    };
    const remove = (id) => { this.#timers.delete(id); };
    t.mock.method(globalThis, "setTimeout", (run, delay, ...rest) => add(() => run(...rest), delay, null));
    t.mock.method(globalThis, "setInterval", (run, period) => add(run, period, period));
    t.mock.method(globalThis, "clearTimeout", remove);
    t.mock.method(globalThis, "clearInterval", remove);
    t.mock.method(performance, "now", () => this.now);
    t.mock.method(Date, "now", () => this.now);
    t.mock.method(AbortSignal, "timeout", (limit) => {
      const abort = new AbortController();
      add(() => abort.abort(new DOMException("too late", "TimeoutError")), limit, null);
      return abort.signal;
    });
  }

  /** How many timers run. */
  get timerCount() {
    return this.#timers.size;
  }

  /** Runs what is due within the next `milliseconds`, in its order. */
  async advance(milliseconds) {
    const end = this.now + milliseconds;
    await settled();
    for (let due = this.#next(end); due; due = this.#next(end)) {
      const [id, timer] = due;
      this.now = Math.max(this.now, timer.at);
      if (timer.period === null) this.#timers.delete(id);
      else timer.at += timer.period;
      timer.run();
      await settled();
    }
    this.now = end;
  }

  #next(end) {
    const due = [...this.#timers].filter(([, { at }]) => at <= end);
    return due.sort(([, one], [, other]) => one.at - other.at)[0];
  }
}
