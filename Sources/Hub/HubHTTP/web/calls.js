// Which call is on: at most one at a time, fed by the event stream.

import { Call } from "./call.js";
import { sessionEvents } from "./session-events.js";

/** Dispatches `call` (detail: the new {@link Call}) when one begins here or comes in. */
export class Calls extends EventTarget {
  /** @type {Call | null} */
  current = null;
  #hub;
  #ownID;

  /** `ownID` tells this person's user id. */
  constructor(hub, events, ownID) {
    super();
    this.#hub = hub;
    this.#ownID = ownID;
    for (const name of Object.keys(sessionEvents)) {
      events.addEventListener(name, ({ detail }) => {
        if (detail.sessionID === this.current?.id) this.current.handle(name, detail);
      });
    }
    events.addEventListener("call.incoming", ({ detail }) => this.#arrived(detail));
  }

  get isBusy() {
    return this.current !== null && !this.current.isOver;
  }

  place(party, media) {
    if (this.isBusy) return;
    this.#begin(Call.outgoing(this.#hub, party, media));
    this.current.place();
  }

  hangUp(options) {
    this.current?.hangUp(options);
  }

  #arrived(event) {
    if (event.sessionID === this.current?.id) return;
    if (this.current?.awaits(event.callerID)) {
      // Of two who call each other at once the lower user id's call goes on, as the hub decides as well.
      if (this.#ownID() < event.callerID) return;
      this.current.giveWay();
    }
    const call = Call.incoming(this.#hub, event);
    if (this.isBusy) return call.reject("busy");
    this.#begin(call);
    call.announceRinging();
  }

  #begin(call) {
    this.current = call;
    this.dispatchEvent(new CustomEvent("call", { detail: call }));
  }
}
