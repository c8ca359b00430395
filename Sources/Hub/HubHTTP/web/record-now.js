// The button that has a device record, and stops that.

import { byID, setText } from "./dom.js";
import { recordNowErrorText, recordNowText, texts } from "./view-texts.js";

/** A day, the maximum of a manual recording, in seconds. */
const longest = 86_400;

/** Shows only where the device permits it; dispatches `changed` when a recording was started or stopped. */
export class RecordNow extends EventTarget {
  #hub;
  #user = null;
  #isRecording = false;
  /** Until the recording ends by itself. */
  #end = null;

  constructor(hub) {
    super();
    this.#hub = hub;
    byID("record-now").addEventListener("click", () => this.#toggle());
  }

  /** Asks whether the device records already. */
  async open(user) {
    this.close();
    this.#user = user;
    Object.assign(byID("record-now"), { hidden: true, disabled: false });
    setText(byID("record-now-state"), "");
    try {
      const state = await this.#ask(null);
      if (state?.isRecording === true) setText(byID("record-now-state"), recordNowText(state));
    } catch (error) {
      // Whom a device does not permit it has no button.
      if (this.#user === user && error.status !== 403) setText(byID("record-now-state"), recordNowErrorText(error));
    }
  }

  close() {
    clearTimeout(this.#end);
    this.#user = null;
  }

  /** What was recorded has ended by itself, or another person has restarted it. */
  #ended() {
    this.open(this.#user);
    this.dispatchEvent(new Event("changed"));
  }

  async #toggle() {
    const user = this.#user;
    byID("record-now").disabled = true;
    try {
      const state = await this.#ask(!this.#isRecording);
      if (!state) return;
      setText(byID("record-now-state"), recordNowText(state));
      this.dispatchEvent(new Event("changed"));
    } catch (error) {
      if (this.#user === user) setText(byID("record-now-state"), recordNowErrorText(error));
    } finally {
      if (this.#user === user) byID("record-now").disabled = false;
    }
  }

  /** The manual recording as the device reports it; null once another device, or none, is shown. */
  async #ask(isWanted) {
    const user = this.#user;
    const state = await this.#hub.recordManually(user.userID, isWanted);
    if (this.#user !== user) return null;
    this.#isRecording = state?.isRecording === true;
    clearTimeout(this.#end);
    if (this.#isRecording && Number.isFinite(state.secondsLeft)) this.#end = setTimeout(() => this.#ended(), endOf(state));
    const button = byID("record-now");
    button.hidden = false;
    button.textContent = this.#isRecording ? texts.manualRecording.stop : texts.manualRecording.start;
    button.dataset.recording = String(this.#isRecording);
    return state;
  }
}

/** When to poll again, in milliseconds: a little after the end that the device reports. */
function endOf({ secondsLeft }) {
  return (Math.min(Math.max(secondsLeft, 0), longest) + 2) * 1000;
}
