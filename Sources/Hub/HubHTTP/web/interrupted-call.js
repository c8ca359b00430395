// A call that ended because the page went: what the page that comes next in this tab says of it.

import { byID, setText } from "./dom.js";
import { texts } from "./texts.js";

/** Several hubs may lie below paths of one origin, which have one storage. */
const base = new URL(".", location.href).pathname;
const key = `livesessions.interrupted-call${base === "/" ? "" : ` ${base}`}`;
/** After this long, in milliseconds, a person knows it anyway, as where a browser restores its tabs. */
const lifetime = 5 * 60_000;
const media = ["wanted", "sent"];

/**
 * A page's media connection goes with the page, and its keys with it: the device could not know the next page for the same. So
 * the browser asks first, the call ends, the next page of the same person says so, and offers to call again.
 */
export class InterruptedCall {
  #interrupted = null;

  /** `onAgain` gets `{party, wanted, sent}`. */
  constructor(onAgain) {
    byID("interrupted-again").addEventListener("click", () => {
      const call = this.#interrupted;
      this.close();
      if (call) onAgain(call);
    });
    byID("interrupted-close").addEventListener("click", () => this.close());
    // A page that the browser had put aside is back, with what it shows of the call's end.
    addEventListener("pageshow", ({ persisted }) => { if (persisted) forget(); });
  }

  /** Whether the browser is to ask before the page goes, as it does once the person has used the page. */
  setAsking(isAsking) {
    if (isAsking) addEventListener("beforeunload", ask);
    else removeEventListener("beforeunload", ask);
  }

  /** The page goes while `call` is on; `ownID` is whose it is. */
  note(call, ownID) {
    const { userID, userTitle, kind } = call.party;
    write({ ownID, at: Date.now(), party: { userID, userTitle, kind }, wanted: call.wanted, sent: call.sent });
  }

  /** A person has logged in, or is logged in still: another one's call is none of theirs. */
  show(ownID) {
    const call = read();
    forget();
    if (!isValid(call) || call.ownID !== ownID || !(Math.abs(Date.now() - call.at) < lifetime)) return;
    this.#interrupted = call;
    setText(byID("interrupted-words"), texts.calls.interrupted(call.party.userTitle));
    byID("interrupted").hidden = false;
  }

  /** The notice is over: read, or the person has begun another call, or left. */
  close() {
    this.#interrupted = null;
    forget();
    byID("interrupted").hidden = true;
    setText(byID("interrupted-words"), "");
  }
}

function ask(event) {
  event.preventDefault();
  // What older browsers take for it.
  event.returnValue = true;
}

function isValid(call) {
  return typeof call?.party?.userID === "string" && typeof call.party.userTitle === "string"
    && media.every((name) => typeof call[name]?.audio === "boolean" && typeof call[name]?.video === "boolean");
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return null;
  }
}

function write(call) {
  try {
    sessionStorage.setItem(key, JSON.stringify(call));
  } catch {
    // Only the notice is missing.
  }
}

function forget() {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // There is nothing, then.
  }
}
