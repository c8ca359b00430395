// What the device of the call that is on can do: a button an action, and the question for its PIN.

import { byID, notify } from "./dom.js";
import { actionLabel, actionText, errorText } from "./texts.js";

/** More buttons than a device has actions are no device's. */
const maxActions = 32;

/** Not every request is answered: beyond a caller's budget one in a second is. */
const answerLimit = 10_000;

let call = null;
/** The action whose PIN is asked for. */
let asked = null;
/** By the button whose answer is awaited, the timer that ends that. */
const limits = new WeakMap();

export function bindActions() {
  byID("pin-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const pin = byID("pin").value;
    closeQuestion();
    run(asked, pin);
  });
  byID("pin-cancel").addEventListener("click", closeQuestion);
}

/** Shows no button until the device of `next` says what it can do. */
export function followActions(next) {
  call = next;
  show([]);
  next.addEventListener("signal", ({ detail }) => {
    if (next !== call || !next.isWithDevice) return;
    if (detail.type === "actions") show(actionsIn(detail.data));
    if (detail.type === "action.result") showResult(parse(detail.data));
  });
  next.addEventListener("state", () => {
    if (next === call && next.isOver) show([]);
  });
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

function show(actions) {
  if (actions.length === 0) closeQuestion();
  const buttons = actions.slice(0, maxActions).map(({ name, needsPIN }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.deviceAction = name;
    button.textContent = actionLabel(name);
    button.addEventListener("click", () => (needsPIN ? ask(name) : run(name)));
    return button;
  });
  byID("device-actions").replaceChildren(...buttons);
  byID("device-actions").hidden = buttons.length === 0;
}

function ask(name) {
  asked = name;
  byID("pin-words").textContent = `PIN for “${actionLabel(name)}”`;
  byID("pin").value = "";
  byID("pin-dialog").hidden = false;
  byID("pin-dialog").showModal();
  byID("pin").focus();
}

function closeQuestion() {
  byID("pin").value = "";
  byID("pin-dialog").close();
  byID("pin-dialog").hidden = true;
}

async function run(name, pin) {
  const button = buttonOf(name);
  setWaiting(button, true);
  try {
    await call.requestAction(name, pin);
  } catch (error) {
    setWaiting(button, false);
    notify(errorText(error));
  }
}

/** A button cannot be clicked while an answer is awaited. */
function setWaiting(button, isWaiting) {
  if (!button) return;
  clearTimeout(limits.get(button));
  button.disabled = isWaiting;
  if (isWaiting) limits.set(button, setTimeout(() => setWaiting(button, false), answerLimit));
}

function showResult(result) {
  if (!result) return;
  setWaiting(buttonOf(result.name), false);
  notify(actionText(result));
}

function buttonOf(name) {
  return [...byID("device-actions").children].find((button) => button.dataset.deviceAction === name);
}
