// The hub's event stream: kept open, resumed by Last-Event-ID, with back-off.

import { Silence } from "./silence.js";
import { EventStreamParser } from "./sse.js";

const firstDelay = 500;
const longestDelay = 15_000;
/** A stream that lasted so long was in order: the next try begins with the first delay. */
const settledAfter = 10_000;
/** The hub greets at once. */
const greetingLimit = 15_000;
/** Where there are no events the hub sends a comment each 15 s; three that do not come mean a dead connection. */
const silenceLimit = 3 * 15_000;

/**
 * Dispatches each server event as a `CustomEvent` under its own name with the payload as `detail`,
 * and `open` and `lost` as the connection comes and goes.
 */
export class EventStream extends EventTarget {
  /** Named by the newest `hello`; presence repeats it. */
  eventStreamID = null;
  #hub;
  #stopped = null;
  #lastEventID = "";
  #delay = firstDelay;
  #openedAt = null;

  constructor(hub) {
    super();
    this.#hub = hub;
  }

  start() {
    this.stop();
    this.#stopped = new AbortController();
    this.#lastEventID = "";
    this.#delay = firstDelay;
    this.#run(this.#stopped.signal);
  }

  stop() {
    this.#stopped?.abort();
    this.#stopped = null;
    this.eventStreamID = null;
  }

  async #run(stopped) {
    while (!stopped.aborted) {
      try {
        if (await this.#readOnce(stopped)) continue;
      } catch (error) {
        if (stopped.aborted || error.status === 401) return;
      }
      if (stopped.aborted) return;
      this.dispatchEvent(new CustomEvent("lost"));
      await pause(this.#nextDelay(), stopped);
    }
  }

  /** Twice the last one, a quarter more or less, so that not all pages come back at the same time. */
  #nextDelay() {
    if (this.#openedAt !== null && performance.now() - this.#openedAt >= settledAfter) this.#delay = firstDelay;
    this.#openedAt = null;
    const delay = this.#delay * (0.75 + Math.random() / 2);
    this.#delay = Math.min(this.#delay * 2, longestDelay);
    return delay;
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
