// A call that the person answered or declined in a notification, before this page knew of it.

import { notify } from "./dom.js";
import { isSessionID } from "./session-id.js";
import { stateText, texts, wantedCallText } from "./texts.js";

/** The hub repeats what rings when the event stream opens; after this long it is asked. In milliseconds, as all here. */
const firstQuestion = 1_500;
const arrivalLimit = 10_000;
/** Nothing rings for longer: who logs in later than this is not there for the call. */
const loginLimit = 90_000;
/** What the hub answers of a call that rings no longer. */
const overStatuses = [404, 409, 410];

/** Waits for one call at a time. */
export class WantedCall {
  #wanted = null;
  #timers = [];
  #hub;
  #events;
  #calls;
  #onAnswer;

  /** `onAnswer` gets the call, which rings. */
  constructor({ hub, events, calls, onAnswer }) {
    [this.#hub, this.#events, this.#calls, this.#onAnswer] = [hub, events, calls, onAnswer];
    events.addEventListener("hello", () => this.#expect());
    for (const name of ["call", "waiting"]) {
      // Those who show the call come first, and it has to ring.
      calls.addEventListener(name, () => queueMicrotask(() => this.#act()));
    }
  }

  /** Whether it waits for a login. */
  get isPending() {
    return this.#wanted !== null;
  }

  /** `verb` is `answer` or `decline`. */
  want({ sessionID, verb }) {
    this.#forget();
    const { current } = this.#calls;
    if (current?.id === sessionID && current.isOver) return notify(stateText(current));
    this.#wanted = { sessionID, verb };
    this.#after(loginLimit, () => this.#forget());
    this.#act();
    if (this.isPending && this.#events.eventStreamID) this.#expect();
  }

  #act() {
    const { sessionID, verb } = this.#wanted ?? {};
    const call = [this.#calls.current, ...this.#calls.waiting].find((one) => one?.id === sessionID);
    if (!call) return;
    this.#forget();
    if (call.state !== "offered") return;
    if (verb === "decline") {
      call.reject("declined");
      return notify(texts.call.declined(call.party.userTitle));
    }
    // One that waits rings when the call before it is over; until then the page shows that it waits.
    if (call === this.#calls.current) this.#onAnswer(call);
  }

  #expect() {
    const wanted = this.#wanted;
    if (!wanted) return;
    this.#stopTimers();
    this.#after(firstQuestion, () => this.#ask(wanted));
    this.#after(arrivalLimit, () => this.#giveUp(wanted, null));
  }

  /** Whether it still rings; the hub's refusal tells what has become of it. */
  async #ask(wanted) {
    try {
      await this.#hub.tellSession(wanted.sessionID, "ringing");
    } catch (error) {
      if (overStatuses.includes(error.status)) this.#giveUp(wanted, error);
    }
  }

  #giveUp(wanted, error) {
    if (this.#wanted !== wanted) return;
    this.#forget();
    notify(wantedCallText(wanted.verb, error));
  }

  #forget() {
    this.#stopTimers();
    this.#wanted = null;
  }

  #after(milliseconds, step) {
    this.#timers.push(setTimeout(step, milliseconds));
  }

  #stopTimers() {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
  }
}

/**
 * Calls `onWanted` with what the page's address asks for, at its start and when it changes. It is taken out of the address, so
 * that no reload answers again. A stranger's link answers nothing: it would have to name a call that rings, by its random id.
 */
export function bindWantedAddress(onWanted) {
  const read = () => {
    const wanted = wantedIn(location.hash);
    if (!wanted) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    onWanted(wanted);
  };
  addEventListener("hashchange", read);
  read();
}

/** `{sessionID, verb}` of `#/calls/SESSION?answer`, or null. */
export function wantedIn(hash) {
  const [, sessionID, verb] = /^#\/calls\/([^/?]+)\?(answer|decline)$/.exec(hash) ?? [];
  return isSessionID(sessionID) ? { sessionID: sessionID.toLowerCase(), verb } : null;
}
