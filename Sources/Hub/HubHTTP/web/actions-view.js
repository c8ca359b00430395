// What the device of a call can do: a button an action, and the question for its PIN.

import { byID, notify } from "./dom.js";
import { bindHold } from "./hold-button.js";
import { askForPIN, closePINQuestion, isAskingForPIN, refusePIN } from "./pin-question.js";
import { actionLabel, errorText } from "./texts.js";
import { actionText, texts } from "./view-texts.js";

/** More buttons than a device has actions are no device's. */
const maxActions = 32;

/** Not every request is answered: beyond a caller's budget one in a second is. */
const answerLimit = 10_000;

/** The actions of the call that it follows; prominent ones, such as a door's, are held for a second and look different. */
export class ActionsView {
  #list;
  #isWanted;
  #call = null;
  /** The action whose PIN is asked for. */
  #asked = null;
  /** By the button whose answer is awaited, the timer that ends that. */
  #limits = new WeakMap();

  /** `id` is that of the element for the buttons; `isWanted` says which actions have one. */
  constructor(id, isWanted = () => true) {
    this.#list = byID(id);
    this.#isWanted = isWanted;
  }

  /** Shows no button until the device of `call` has said what it can do; null: of none. */
  follow(call) {
    this.#call = call;
    this.#offer(call?.isWithDevice ? call.offeredActions : null);
    call?.addEventListener("signal", ({ detail }) => {
      if (call !== this.#call || !call.isWithDevice) return;
      if (detail.type === "actions") this.#offer(detail.data);
      if (detail.type === "action.result") this.#showResult(parse(detail.data));
    });
    call?.addEventListener("state", () => {
      if (call === this.#call && call.isOver) this.#show([]);
    });
  }

  #offer(data) {
    this.#show(actionsIn(data).filter(this.#isWanted));
  }

  #show(actions) {
    if (actions.length === 0) this.#closeQuestion();
    const buttons = actions.slice(0, maxActions).map((action) => this.#makeButton(action));
    this.#list.replaceChildren(...buttons);
    this.#list.hidden = buttons.length === 0;
  }

  #makeButton({ name, needsPIN, isProminent }) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.deviceAction = name;
    button.textContent = actionLabel(name);
    const act = () => (needsPIN ? this.#ask(name) : this.#run(name));
    if (isProminent !== true) button.addEventListener("click", act);
    else {
      button.className = "prominent";
      button.title = texts.actions.hold(button.textContent);
      bindHold(button, act, () => notify(button.title));
    }
    return button;
  }

  #ask(name) {
    this.#asked = name;
    askForPIN(texts.pin.question(actionLabel(name)), (pin) => this.#run(name, pin));
  }

  #closeQuestion() {
    if (this.#asked) closePINQuestion();
    this.#asked = null;
  }

  async #run(name, pin) {
    const button = this.#buttonOf(name);
    this.#setWaiting(button, true);
    try {
      await this.#call.requestAction(name, pin);
    } catch (error) {
      this.#setWaiting(button, false);
      this.#refuse(name, errorText(error));
    }
  }

  /** A button cannot be clicked while an answer is awaited. */
  #setWaiting(button, isWaiting) {
    if (!button) return;
    clearTimeout(this.#limits.get(button));
    button.disabled = isWaiting;
    if (isWaiting) {
      this.#limits.set(button, setTimeout(() => {
        this.#setWaiting(button, false);
        if (this.#isAsking(button.dataset.deviceAction)) refusePIN("");
      }, answerLimit));
    }
  }

  #showResult(result) {
    if (!result) return;
    this.#setWaiting(this.#buttonOf(result.name), false);
    if (!result.isDone) return this.#refuse(result.name, actionText(result));
    if (this.#isAsking(result.name)) this.#closeQuestion();
    notify(actionText(result));
  }

  /** Where a PIN was asked for, another may be typed. */
  #refuse(name, text) {
    if (this.#isAsking(name)) refusePIN(text);
    else notify(text);
  }

  #isAsking(name) {
    return this.#asked === name && isAskingForPIN();
  }

  #buttonOf(name) {
    return [...this.#list.children].find((button) => button.dataset.deviceAction === name);
  }
}

/** What of a device's list is an action. */
function actionsIn(text) {
  const actions = parse(text)?.actions;
  return Array.isArray(actions) ? actions.filter((action) => typeof action?.name === "string") : [];
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
