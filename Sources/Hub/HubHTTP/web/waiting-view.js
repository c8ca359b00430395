// An incoming call while a call is on: text and a button, and the call continues undisturbed.

import { byID, notify } from "./dom.js";
import { stateText, texts } from "./texts.js";

/** Shows the call that has waited longest. */
export class WaitingView {
  #notice = byID("waiting");
  #call = null;

  constructor() {
    byID("waiting-decline").addEventListener("click", () => this.#call?.reject("busy"));
  }

  /** `waiting` are the calls that wait, the oldest first. */
  show([call = null]) {
    const before = this.#call;
    if (before === call) return;
    if (before?.isOver && !before.outcome.isOwn) notify(stateText(before));
    this.#call = call;
    this.#notice.hidden = !call;
    if (!call) return this.#notice.hidePopover?.();
    byID("waiting-words").textContent = texts.call.waiting(call.party.userTitle);
    // A popover is above the video in full screen as well.
    this.#notice.showPopover?.();
  }
}
