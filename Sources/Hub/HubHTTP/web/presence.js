// Being online: announced once, then renewed.

const heartbeat = 20_000;

/** Publishes this person's presence for as long as the event stream is open. */
export class Presence {
  /** Told to others and used for distances; null when the person does not share it. */
  position = null;
  #hub;
  #events;
  #calls;
  #ticker = null;
  #isPositionNews = false;

  constructor(hub, events, calls) {
    this.#hub = hub;
    this.#events = events;
    this.#calls = calls;
    events.addEventListener("hello", () => this.start());
    calls.addEventListener("call", ({ detail: call }) => {
      call.addEventListener("state", () => this.publish());
    });
  }

  start() {
    this.stop();
    this.#isPositionNews = true;
    this.publish();
    this.#ticker = new Worker("ticker.js");
    this.#ticker.addEventListener("message", () => this.publish());
    this.#ticker.postMessage(heartbeat);
  }

  stop() {
    this.#ticker?.terminate();
    this.#ticker = null;
  }

  move(position) {
    this.position = position;
    this.#isPositionNews = true;
    this.publish();
  }

  /** A failure is no news: the next heartbeat tries again, and the event stream shows whether the hub is there. */
  publish() {
    if (!this.#events.eventStreamID) return;
    const call = this.#calls.current;
    const isInCall = this.#calls.isBusy;
    const update = {
      kind: "person", isAudio: true, isVideo: true, status: isInCall ? "busy" : "available",
      eventStreamID: this.#events.eventStreamID, sessions: isInCall ? [call.id] : [],
    };
    if (this.#isPositionNews && this.position) update.userLocation = this.position;
    this.#isPositionNews = false;
    this.#hub.publishPresence(update).catch(() => {});
  }
}
