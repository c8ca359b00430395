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
  /** What the hub is yet to hear of the position: null takes it back, undefined is nothing. */
  #news;
  #movedAt = 0;

  constructor(hub, events, calls) {
    this.#hub = hub;
    this.#events = events;
    this.#calls = calls;
    events.addEventListener("hello", () => this.start());
    calls.addEventListener("call", ({ detail: call }) => {
      call.addEventListener("state", () => this.publish());
    });
    calls.addEventListener("waiting", () => this.publish());
  }

  start() {
    this.stop();
    this.#news ??= this.position ?? undefined;
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
    this.#movedAt = performance.now();
    this.#news = position;
    this.publish();
  }

  /** A failure is no news: the next heartbeat tries again, and the event stream shows whether the hub is there. */
  publish() {
    if (!this.#events.eventStreamID) return;
    const update = {
      kind: "person", isAudio: true, isVideo: true, status: this.#calls.isBusy ? "busy" : "available",
      eventStreamID: this.#events.eventStreamID, sessions: this.#calls.heldIDs,
    };
    if (this.position) update.positionAge = Math.round((performance.now() - this.#movedAt) / 1000);
    const news = this.#news;
    if (news !== undefined) update.userLocation = news;
    this.#hub.publishPresence(update).then(() => {
      if (this.#news === news) this.#news = undefined;
    }).catch(() => {});
  }
}
