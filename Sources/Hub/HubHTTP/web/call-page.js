// A call and all that shows it: one part of the page, loaded when the page has nothing else to do, or when the first call begins.

import { CallAgain } from "./call-again.js";
import { CallView } from "./call-view.js";
import { bindCameraChoice } from "./camera-view.js";
import { bindChat } from "./chat-view.js";
import { IncomingView } from "./incoming-view.js";
import { bindKeys } from "./keys.js";
import { bindPINQuestion } from "./pin-question.js";
import { bindQuality } from "./quality-view.js";
import { WaitingView } from "./waiting-view.js";

export { Call } from "./call.js";

/** Dispatches `visibility` as {@link CallView} does. */
export class CallPage extends EventTarget {
  #view;
  #again;
  #incoming;
  #waiting = new WaitingView();

  /** `calls` are the page's {@link Calls}, `layout` its {@link LayoutView}, `notifications` those that it shows of calls. */
  constructor(calls, { isOperator, layout, notifications }) {
    super();
    this.#view = new CallView(isOperator, layout);
    this.#again = new CallAgain(({ party, wanted, sent }) => calls.place(party, { wanted, sent }));
    this.#incoming = new IncomingView((call) => this.#show(call), notifications);
    this.#view.addEventListener("visibility", () => this.dispatchEvent(new Event("visibility")));
    calls.addEventListener("waiting", () => this.#waiting.show(calls.waiting));
    for (const bind of [bindPINQuestion, bindCameraChoice, bindQuality, bindChat, bindKeys]) bind();
  }

  /** A call has begun here, or rings. */
  begin(call) {
    if (call.isCaller) this.#show(call);
    else this.#incoming.ask(call);
  }

  /** Answers the call that rings, as if the button had been pressed. */
  answer(call) {
    this.#incoming.answer(call);
  }

  /** The service worker shows a notification of a call that may ring here. */
  notified(sessionID) {
    this.#incoming.notified(sessionID);
  }

  close() {
    this.#view.close();
  }

  #show(call) {
    this.#view.follow(call);
    this.#again.follow(call);
  }
}
