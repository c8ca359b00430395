// The question for an action's PIN: it stays until the device has taken one, or the person gives up.

import { byID, setText } from "./dom.js";

let onPIN = null;

export function bindPINQuestion() {
  byID("pin-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const pin = byID("pin").value;
    byID("pin").value = "";
    setWaiting(true);
    onPIN?.(pin);
  });
  byID("pin-cancel").addEventListener("click", closePINQuestion);
}

/** `take` gets what is typed, each time; {@link refusePIN} or {@link closePINQuestion} follows. */
export function askForPIN(words, take) {
  onPIN = take;
  byID("pin-words").textContent = words;
  byID("pin").value = "";
  setText(byID("pin-message"), "");
  setWaiting(false);
  byID("pin-dialog").hidden = false;
  if (!byID("pin-dialog").open) byID("pin-dialog").showModal();
  byID("pin").focus();
}

export function isAskingForPIN() {
  return byID("pin-dialog").open;
}

/** Why it was no use; another may be typed. */
export function refusePIN(text) {
  setText(byID("pin-message"), text);
  setWaiting(false);
  byID("pin").focus();
}

export function closePINQuestion() {
  onPIN = null;
  byID("pin").value = "";
  byID("pin-dialog").close();
  byID("pin-dialog").hidden = true;
}

function setWaiting(isWaiting) {
  byID("pin").disabled = isWaiting;
  byID("pin-ok").disabled = isWaiting;
}
