// After a call: the offer to place it once more.

import { byID } from "./dom.js";

/** What a second try would not change. */
const finalReasons = new Set(["not-allowed", "not-verified", "not-acceptable", "glare"]);

export class CallAgain {
  #button = byID("call-again");
  #call = null;

  /** `onCall` gets the call that is to be repeated. */
  constructor(onCall) {
    this.#button.addEventListener("click", () => onCall(this.#call));
  }

  /** Follows `call` to its end. */
  follow(call) {
    this.#call = call;
    this.#button.hidden = true;
    call.addEventListener("state", () => { if (call === this.#call && call.isOver) this.#offer(call); });
  }

  #offer(call) {
    this.#button.hidden = !isRepeatable(call.outcome);
    // The buttons of the call are gone, and the keyboard's focus with them.
    const { activeElement } = document;
    const isFree = activeElement === document.body || byID("call").contains(activeElement);
    if (isFree) byID(this.#button.hidden ? "call-close" : "call-again").focus();
  }
}

export function isRepeatable({ reason }) {
  return !finalReasons.has(reason);
}
