// The hub's event stream: kept open, resumed by Last-Event-ID, with back-off.

import { EventRoute } from "./event-route.js";
import { Pauses } from "./pauses.js";
import { Silence } from "./silence.js";
import { EventStreamParser } from "./sse.js";

const firstPause = 500;
const longestPause = 15_000;
/** A stream that lasted this long has worked: the next retry begins with the first pause. */
const settledAfter = 10_000;
/** The hub greets at once. */
const greetingLimit = 10_000;
/** Where there are no events the hub sends a comment each 8 s; three that do not come mean a dead connection. */
const silenceLimit = 3 * 8_000;
/** While events are polled a stream is tried again so often; it may be silent for less, since an event may wait for its end. */
const trialInterval = 3_600_000;
const trialLimit = 3_000;
/**
 * Whatever answers at once without an event, a cache perhaps, or with a greeting each time, nodes behind a balancer that takes
 * one after the other, is not asked in a loop.
 */
const emptyPause = 1_000;
const greetedPause = 2_000;

/**
 * Dispatches each server event as a `CustomEvent` under its own name with the payload as `detail`,
 * and `open` and `lost` as the connection comes and goes: `open` with the hub's greeting, since a proxy may answer for the
 * hub and keep what it says. `open` reports whether the stream is held back and events are polled (`isPolled`), `lost` how long
 * the hub asks to wait (`retryAfter`, in seconds; null when it does not).
 */
export class EventStream extends EventTarget {
  /** Named by the newest `hello`; presence repeats it. */
  eventStreamID = null;
  #hub;
  #stopped = null;
  #lastEventID = "";
  #pauses = new Pauses(firstPause, longestPause);
  #openedAt = null;
  #route = new EventRoute();

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
        if (await this.#read(stopped)) continue;
        this.#route.failed(false);
      } catch (error) {
        if (stopped.aborted || error.status === 401) return;
        this.#route.failed(error.name === "TimeoutError");
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

  #read(stopped) {
    return this.#route.isPolling ? this.#poll(stopped) : this.#readOnce(stopped, greetingLimit);
  }

  /** Returns whether to reconnect at once: the hub ends a stream together with the token under which it was opened. */
  async #readOnce(stopped, limit) {
    const silence = new Silence(limit, stopped);
    let isGreeted = false;
    try {
      const response = await this.#hub.events(this.#lastEventID, silence.signal);
      const token = this.#hub.token;
      const parser = new EventStreamParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return this.#hub.token !== token;
        const events = parser.push(value);
        if (!isGreeted && events.length > 0) {
          isGreeted = true;
          this.#route.streamWorks();
          this.#opened();
        }
        if (isGreeted) silence.broken(silenceLimit);
        for (const event of events) this.#deliver(event);
      }
    } finally {
      silence.end();
    }
  }

  /** Asks for events by one request after the other, until one fails or a stream works. */
  async #poll(stopped) {
    let nextTrial = -Infinity;
    for (let streamID = ""; !stopped.aborted; streamID = this.eventStreamID) {
      const askedAt = performance.now();
      const events = new EventStreamParser().push(await this.#hub.pollEvents(streamID, this.#lastEventID));
      if (stopped.aborted) return false;
      if (!streamID && events[0]?.name !== "hello") throw new Error("the hub does not greet");
      if (!streamID) this.#opened();
      for (const event of events) this.#deliver(event);
      if (askedAt >= nextTrial) {
        try {
          return await this.#readOnce(stopped, trialLimit);
        } catch (error) {
          if (stopped.aborted || !this.#route.isPolling || error.name !== "TimeoutError") throw error;
          this.#route.streamIsHeldBack();
          this.#opened();
          nextTrial = performance.now() + trialInterval;
        }
      } else if (!events.length || events[0].name === "hello") {
        await pause(askedAt + (events.length ? greetedPause : emptyPause) - performance.now(), stopped);
      }
    }
    return false;
  }

  #opened() {
    this.#openedAt ??= performance.now();
    this.dispatchEvent(new CustomEvent("open", { detail: { isPolled: this.#route.isProven } }));
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
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
