// Somebody calls: answer or decline.

import { byID, notify } from "./dom.js";
import { Ringtone } from "./ringtone.js";
import { stateWords } from "./words.js";

/** Asks about one call at a time; `onAccept` gets the call before it is accepted. */
export class IncomingView {
  #call = null;
  #ringtone = new Ringtone();

  constructor(onAccept) {
    const accept = (video) => {
      const call = this.#call;
      this.#close();
      onAccept(call);
      call.accept({ audio: call.wanted.audio, video: video && call.wanted.video });
    };
    byID("answer").addEventListener("click", () => accept(true));
    byID("answer-unseen").addEventListener("click", () => accept(false));
    byID("decline").addEventListener("click", () => this.#call.reject("declined"));
  }

  ask(call) {
    this.#call = call;
    byID("incoming-words").textContent = stateWords(call);
    byID("answer-unseen").hidden = !call.wanted.video;
    byID("incoming").hidden = false;
    byID("answer").focus();
    this.#ringtone.start();
    call.addEventListener("state", () => {
      if (this.#call !== call) return;
      this.#close();
      if (!call.outcome?.isOwn) notify(stateWords(call));
    });
  }

  #close() {
    this.#call = null;
    this.#ringtone.stop();
    byID("incoming").hidden = true;
  }
}
