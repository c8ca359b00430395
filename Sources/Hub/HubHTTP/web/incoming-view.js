// An incoming call: answer or decline.

import { byID, notify } from "./dom.js";
import { Notifications } from "./notifications.js";
import { Ringtone } from "./ringtone.js";
import { TitleAlert } from "./title-alert.js";
import { stateText } from "./texts.js";

/** Asks about one call at a time, in a dialog over all else; `onAccept` gets the call before it is accepted. */
export class IncomingView {
  #call = null;
  #onAccept;
  #dialog = byID("incoming");
  #ringtone = new Ringtone();
  #title = new TitleAlert();
  #notifications = new Notifications();

  constructor(onAccept) {
    this.#onAccept = onAccept;
    byID("answer").addEventListener("click", () => this.#accept(true));
    byID("answer-unseen").addEventListener("click", () => this.#accept(false));
    byID("decline").addEventListener("click", () => this.#call.reject("declined"));
    this.#dialog.addEventListener("cancel", (event) => event.preventDefault());
    // Where a browser closes it all the same, the call is still unanswered. The event comes late: another may ring.
    this.#dialog.addEventListener("close", () => { if (this.#call && !this.#dialog.open) this.#open(); });
  }

  ask(call) {
    this.#call = call;
    this.#announce(call);
    call.addEventListener("state", () => {
      if (this.#call !== call) return;
      this.#close();
      if (!call.outcome?.isOwn) notify(stateText(call));
    });
  }

  /** As if the button had been pressed. */
  answer(call) {
    if (call === this.#call) this.#accept(true);
  }

  /** The service worker shows a notification of a call that may ring here. */
  notified(sessionID) {
    if (sessionID === this.#call?.id) this.#notifications.shownByWorker(sessionID);
  }

  #accept(video) {
    const call = this.#call;
    this.#close();
    this.#onAccept(call);
    call.accept({ audio: call.wanted.audio, video: video && call.wanted.video });
  }

  #announce(call) {
    const text = stateText(call);
    byID("incoming-words").textContent = text;
    byID("answer-unseen").hidden = !call.wanted.video;
    this.#open();
    this.#ringtone.start();
    this.#title.start(text);
    this.#notifications.show(text, call.id);
  }

  #open() {
    this.#dialog.hidden = false;
    this.#dialog.showModal();
    byID("answer").focus();
  }

  #close() {
    this.#call = null;
    this.#ringtone.stop();
    this.#title.stop();
    this.#notifications.close();
    this.#dialog.close();
    this.#dialog.hidden = true;
  }
}
