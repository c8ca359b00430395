// The few things that every view does with the document.

import { messages } from "./messages.js";

/** The element with this id; the page's own markup guarantees that it is there. */
export function byID(id) {
  return document.getElementById(id);
}

/** A fresh copy of a template's one element. */
export function fromTemplate(id) {
  return byID(id).content.firstElementChild.cloneNode(true);
}

/** Which of the two views (`login`, `home`) shows. */
export function showView(name) {
  document.body.dataset.view = name;
}

/** Puts text into an element, or hides it when there are none. */
export function setText(element, text) {
  element.textContent = text;
  element.hidden = !text;
}

let noticeTimer = null;

/** Says something that concerns no single view, above whatever else shows: a dialog, a video in full screen. */
export function notify(text) {
  if (text) messages.add(text);
  showNotice("");
  showNotice(text);
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => showNotice(""), 8_000);
}

/** A reopened popover is above those opened before it. */
function showNotice(text) {
  setText(byID("notice"), text);
  if (text) byID("notice").showPopover?.();
  else byID("notice").hidePopover?.();
}

/** A button that stays pressed. */
export function setPressed(button, isPressed) {
  button.setAttribute("aria-pressed", String(isPressed));
}

export function isPressed(button) {
  return button.getAttribute("aria-pressed") === "true";
}
