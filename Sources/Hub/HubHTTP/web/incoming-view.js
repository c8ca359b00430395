// An incoming call: answer or decline; of a device that shows it, its video and its door before that.

import { ActionsView } from "./actions-view.js";
import { byID, notify } from "./dom.js";
import { Preview } from "./preview.js";
import { Ringtone } from "./ringtone.js";
import { TitleAlert } from "./title-alert.js";
import { stateText } from "./texts.js";

/** Asks about one call at a time, in a dialog over all else; `onAccept` gets the call before it is accepted; `notifications` tell of it. */
export class IncomingView {
  #call = null;
  #onAccept;
  #dialog = byID("incoming");
  #video = byID("incoming-video");
  #actions = new ActionsView("incoming-actions", ({ isProminent }) => isProminent === true);
  #ringtone = new Ringtone();
  #title = new TitleAlert();
  #notifications;

  constructor(onAccept, notifications) {
    [this.#onAccept, this.#notifications] = [onAccept, notifications];
    byID("answer").addEventListener("click", () => this.#accept(!this.#call.isWithDevice));
    byID("answer-seen").addEventListener("click", () => this.#accept(true));
    byID("answer-unseen").addEventListener("click", () => this.#accept(false));
    byID("decline").addEventListener("click", () => this.#call.reject("declined"));
    this.#dialog.addEventListener("cancel", (event) => event.preventDefault());
    // Where a browser closes it all the same, the call is still unanswered. The event comes late: another may ring.
    this.#dialog.addEventListener("close", () => { if (this.#call && !this.#dialog.open) this.#open(); });
  }

  ask(call) {
    this.#call = call;
    this.#announce(call);
    if (call.isWithDevice) this.#preview(call);
    call.addEventListener("state", () => {
      if (this.#call !== call) return;
      this.#close();
      if (!call.outcome?.isOwn) notify(stateText(call));
    });
  }

  /** As if the button had been pressed. */
  answer(call) {
    if (call === this.#call) this.#accept(!call.isWithDevice);
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

  /** A person who looks at a door need not be seen, so a device's call is answered by voice. */
  #announce(call) {
    const text = stateText(call);
    byID("incoming-words").textContent = text;
    byID("answer-seen").hidden = !call.wanted.video || !call.isWithDevice;
    byID("answer-unseen").hidden = !call.wanted.video || call.isWithDevice;
    this.#actions.follow(call);
    this.#open();
    this.#ringtone.start();
    this.#title.start(text);
    this.#notifications.show(text, call.id);
  }

  #preview(call) {
    const preview = new Preview(call);
    call.preview = preview;
    preview.addEventListener("stream", () => { if (call === this.#call) this.#show(preview.stream); });
    preview.begin();
  }

  /** Browsers may refuse sound before the person has clicked: then there is the video alone. */
  async #show(stream) {
    this.#video.hidden = !stream;
    this.#video.srcObject = stream;
    if (!stream) return;
    this.#video.muted = !stream.getTracks().some(({ kind }) => kind === "audio");
    try {
      await this.#video.play();
    } catch (error) {
      if (error.name !== "NotAllowedError") return;
      this.#video.muted = true;
      this.#video.play().catch(() => {});
    }
  }

  #open() {
    this.#dialog.hidden = false;
    this.#dialog.showModal();
    byID("answer").focus();
  }

  #close() {
    this.#call = null;
    this.#actions.follow(null);
    this.#show(null);
    this.#ringtone.stop();
    this.#title.stop();
    this.#notifications.close();
    this.#dialog.close();
    this.#dialog.hidden = true;
  }
}
