// Being online: announced, then repeated as often as the hub asks for.

import { Pauses } from "./pauses.js";

/** In seconds, for a hub that does not say how often. */
const defaultHeartbeat = 20;
const shortestHeartbeat = 10;
const longestHeartbeat = 3_600;

/** Publishes this person's presence for as long as the event stream is open. */
export class Presence {
  /** Shown to others and used for distances; null when the person does not share it. */
  position = null;
  #hub;
  #events;
  #calls;
  #ticker = null;
  /** The unsent change of the position: null takes it back, undefined is nothing. */
  #news;
  #movedAt = 0;
  #pauses = new Pauses(5_000, 60_000);
  #retry = null;
  /** The event stream of the update that waits for its answer; null when none does. */
  #underway = null;
  /** Whether something has changed since that update. */
  #isOutdated = false;

  constructor(hub, events, calls) {
    this.#hub = hub;
    this.#events = events;
    this.#calls = calls;
    events.addEventListener("hello", ({ detail }) => this.start(detail.heartbeatInterval));
    calls.addEventListener("call", ({ detail: call }) => {
      call.addEventListener("state", () => this.publish());
    });
    calls.addEventListener("waiting", () => this.publish());
  }

  /** `interval` is in seconds. */
  start(interval) {
    this.stop();
    if (this.#news === undefined && this.position) this.#news = this.position;
    this.publish();
    this.#ticker = new Worker("ticker.js");
    this.#ticker.addEventListener("message", () => this.publish());
    this.#ticker.postMessage(heartbeatPause(interval));
  }

  stop() {
    this.#ticker?.terminate();
    this.#ticker = null;
    clearTimeout(this.#retry);
    this.#pauses.reset();
  }

  move(position) {
    this.position = position;
    this.#movedAt = performance.now();
    this.#news = position;
    this.publish();
  }

  /**
   * One update at a time, since requests may overtake each other; a new event stream waits for none of the one
   * before. A failure is no news: it is tried again, and the event stream shows whether the hub is there.
   */
  publish() {
    clearTimeout(this.#retry);
    const { eventStreamID } = this.#events;
    if (!eventStreamID) return;
    this.#isOutdated = this.#underway === eventStreamID;
    if (this.#isOutdated) return;
    this.#underway = eventStreamID;
    const news = this.#news;
    this.#hub.publishPresence(this.#update(eventStreamID, news)).then(() => {
      this.#pauses.reset();
      if (this.#news === news) this.#news = undefined;
      this.#answered(eventStreamID);
    }, ({ retryAfter = null }) => this.#answered(eventStreamID, () => this.#pauses.next(retryAfter)));
  }

  #update(eventStreamID, news) {
    const update = {
      kind: "person", isAudio: true, isVideo: true, status: this.#calls.isBusy ? "busy" : "available",
      eventStreamID, sessions: this.#calls.heldIDs,
    };
    if (this.position) update.positionAge = Math.round((performance.now() - this.#movedAt) / 1000);
    if (news !== undefined) update.userLocation = news;
    return update;
  }

  /** `nextPause` is given after a failure. */
  #answered(eventStreamID, nextPause = null) {
    if (this.#underway !== eventStreamID) return;
    this.#underway = null;
    // Another stream has repeated it, or will.
    if (eventStreamID !== this.#events.eventStreamID) return;
    if (nextPause) this.#retry = setTimeout(() => this.publish(), nextPause());
    else if (this.#isOutdated) this.publish();
  }
}

/** In milliseconds, a quarter more or less, so that pages that came together do not stay together. */
function heartbeatPause(interval) {
  const seconds = Number.isFinite(interval) ? interval : defaultHeartbeat;
  const bounded = Math.min(Math.max(seconds, shortestHeartbeat), longestHeartbeat);
  return Math.round(1000 * bounded * (0.75 + Math.random() / 2));
}
