// Which call is on: at most one at a time, fed by the event stream; others that come in meanwhile wait.

import { sessionEvents } from "./session-events.js";

/** A page gets no more events while a module is loaded. */
const maximumEarly = 200;

/**
 * Dispatches `call` (detail: the new {@link Call}) when one begins here or comes in, and `waiting` when a call has come
 * in during another, or waits no longer.
 *
 * A page in a call does not report that the person is busy: it cannot know whether another page or browser of theirs is
 * free and rings. The call waits here until it is taken there, the person declines it, or the page's own call is over.
 */
export class Calls extends EventTarget {
  /** @type {Call | null} */
  current = null;
  /** @type {Call[]} The oldest first. */
  waiting = [];
  /** Those that only show what a device sees, beside each other and beside the current one; they keep no one busy. */
  #watched = new Set();
  #hub;
  #ownID;
  #load;
  /** The promise of `Call`, once that was asked for. */
  #loading = null;
  /** The class; null before it is loaded. */
  #Call = null;
  /** What the events that came meanwhile mean, in their order. */
  #early = [];

  /** `ownID` returns this person's user id, `load` gives a promise of the class {@link Call}. */
  constructor(hub, events, ownID, load) {
    super();
    this.#hub = hub;
    this.#ownID = ownID;
    this.#load = load;
    for (const name of Object.keys(sessionEvents)) {
      events.addEventListener(name, ({ detail }) => {
        if (this.#Call || this.#early.length) this.#inOrder(() => this.#find(detail.sessionID)?.handle(name, detail));
      });
    }
    events.addEventListener("call.incoming", ({ detail }) => this.#inOrder(() => this.#arrived(detail)));
  }

  /** Loads what calls need, unless it is there; throws where it cannot be had. */
  prepare() {
    this.#loading ??= this.#load().then((Call) => {
      this.#Call = Call;
      for (const step of this.#early.splice(0)) step();
    }).catch((error) => {
      this.#loading = null;
      this.#early = [];
      throw error;
    });
    return this.#loading;
  }

  get isBusy() {
    return this.current !== null && !this.current.isOver;
  }

  /** The ids of the calls that this page takes part in or may take. */
  get heldIDs() {
    const calls = this.isBusy ? [this.current, ...this.waiting] : this.waiting;
    return [...calls, ...this.#watched].map(({ id }) => id);
  }

  async place(party, media) {
    await this.prepare();
    if (this.isBusy) return;
    this.#begin(this.#Call.outgoing(this.#hub, party, media));
    this.current.place();
  }

  /** Places a call of which the page shows what it receives, and no more; only once what calls need is there. */
  watch(party, media) {
    const call = this.#Call.outgoing(this.#hub, party, media);
    this.#watched.add(call);
    call.addEventListener("state", () => { if (call.isOver) this.#watched.delete(call); });
    call.place();
    return call;
  }

  /** Ends the calls of this page; what waits is left to the person's other pages. */
  hangUp(options) {
    for (const call of [...this.waiting, ...this.#watched]) call.hangUp(options);
    this.current?.hangUp(options);
  }

  #find(id) {
    if (this.current?.id === id) return this.current;
    return this.waiting.find((call) => call.id === id) ?? [...this.#watched].find((call) => call.id === id);
  }

  /** What comes while the class is loaded waits for it; of what cannot be loaded, `failure` says why (detail: the error). */
  #inOrder(step) {
    if (this.#Call) return step();
    if (this.#early.length < maximumEarly) this.#early.push(step);
    this.prepare().catch((error) => this.dispatchEvent(new CustomEvent("failure", { detail: error })));
  }

  #arrived(event) {
    if (this.#find(event.sessionID)) return;
    if (this.current?.awaits(event.callerID)) {
      // Of two who call each other at once the lower user id's call continues, as the hub decides as well.
      if (this.#ownID() < event.callerID) return;
      this.current.giveWay();
    }
    const call = this.#Call.incoming(this.#hub, event);
    call.announceRinging();
    if (this.isBusy) this.#hold(call);
    else this.#begin(call);
  }

  #begin(call) {
    this.current = call;
    call.addEventListener("state", () => {
      // A listener of this end may begin a call as well.
      if (call.isOver) queueMicrotask(() => this.#beginNext());
    });
    this.dispatchEvent(new CustomEvent("call", { detail: call }));
  }

  #hold(call) {
    this.#setWaiting([...this.waiting, call]);
    call.addEventListener("state", () => {
      if (call.isOver) this.#setWaiting(this.waiting.filter((one) => one !== call));
    });
  }

  #beginNext() {
    const [next] = this.waiting;
    if (this.isBusy || !next) return;
    this.#setWaiting(this.waiting.slice(1));
    this.#begin(next);
  }

  #setWaiting(calls) {
    this.waiting = calls;
    this.dispatchEvent(new Event("waiting"));
  }
}
