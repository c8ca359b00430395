// The hub's event stream: kept open, resumed by Last-Event-ID, with back-off.

import { EventStreamParser } from "./sse.js";

const firstDelay = 500;
const longestDelay = 15_000;
/** The hub sends a comment or an event well within this; silence means a dead connection. */
const silenceLimit = 60_000;

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
      await pause(this.#delay * (0.75 + Math.random() / 2), stopped);
      this.#delay = Math.min(this.#delay * 2, longestDelay);
    }
  }

  /** Returns whether to go on at once: the hub ends a stream together with the token under which it was opened. */
  async #readOnce(stopped) {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    stopped.addEventListener("abort", abort, { once: true });
    let silence = setTimeout(abort, silenceLimit);
    try {
      const headers = { Accept: "text/event-stream" };
      if (this.#lastEventID) headers["Last-Event-ID"] = this.#lastEventID;
      const response = await this.#hub.request("GET", "/v1/events", { headers, signal: attempt.signal });
      const token = this.#hub.token;
      this.#delay = firstDelay;
      this.dispatchEvent(new CustomEvent("open"));
      const parser = new EventStreamParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return this.#hub.token !== token;
        clearTimeout(silence);
        silence = setTimeout(abort, silenceLimit);
        for (const event of parser.push(value)) this.#deliver(event);
      }
    } finally {
      clearTimeout(silence);
      stopped.removeEventListener("abort", abort);
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
