// The hub's event stream: kept open, resumed by Last-Event-ID, with back-off.

import { Pauses } from "./pauses.js";
import { Silence } from "./silence.js";
import { EventStreamParser } from "./sse.js";

const firstPause = 500;
const longestPause = 15_000;
/** A stream that lasted so long was in order: the next try begins with the first pause. */
const settledAfter = 10_000;
/** The hub greets at once. */
const greetingLimit = 15_000;
/** Where there are no events the hub sends a comment each 15 s; three that do not come mean a dead connection. */
const silenceLimit = 3 * 15_000;

/**
 * Dispatches each server event as a `CustomEvent` under its own name with the payload as `detail`,
 * and `open` and `lost` as the connection comes and goes; `lost` tells how long the hub asks to wait (`retryAfter`, in
 * seconds; null when it does not).
 */
export class EventStream extends EventTarget {
  /** Named by the newest `hello`; presence repeats it. */
  eventStreamID = null;
  #hub;
  #stopped = null;
  #lastEventID = "";
  #pauses = new Pauses(firstPause, longestPause);
  #openedAt = null;

  constructor(hub) {
    super();
    this.#hub = hub;
  }

  start() {
    this.stop();
    this.#stopped = new AbortController();
    this.#lastEventID = "";
    this.#pauses.reset();
    this.#run(this.#stopped.signal);
  }

  stop() {
    this.#stopped?.abort();
    this.#stopped = null;
    this.eventStreamID = null;
  }

  async #run(stopped) {
    while (!stopped.aborted) {
      let retryAfter = null;
      try {
        if (await this.#readOnce(stopped)) continue;
      } catch (error) {
        if (stopped.aborted || error.status === 401) return;
        retryAfter = error.retryAfter ?? null;
      }
      if (stopped.aborted) return;
      this.dispatchEvent(new CustomEvent("lost", { detail: { retryAfter } }));
      await pause(this.#nextPause(retryAfter), stopped);
    }
  }

  #nextPause(retryAfter) {
    if (this.#openedAt !== null && performance.now() - this.#openedAt >= settledAfter) this.#pauses.reset();
    this.#openedAt = null;
    return this.#pauses.next(retryAfter);
  }

  /** Returns whether to go on at once: the hub ends a stream together with the token under which it was opened. */
  async #readOnce(stopped) {
    const silence = new Silence(greetingLimit, stopped);
    try {
      const response = await this.#hub.events(this.#lastEventID, silence.signal);
      const token = this.#hub.token;
      this.#openedAt = performance.now();
      this.dispatchEvent(new CustomEvent("open"));
      const parser = new EventStreamParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return this.#hub.token !== token;
        silence.broken(silenceLimit);
        for (const event of parser.push(value)) this.#deliver(event);
      }
    } finally {
      silence.end();
    }
  }

  #deliver({ id, name, data }) {
    if (id) this.#lastEventID = id;
    let detail;
    try {
      detail = JSON.parse(data);
    } catch {
      return;
    }
    if (name === "hello") this.eventStreamID = detail.eventStreamID;
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}
