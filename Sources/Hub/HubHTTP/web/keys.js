// The keys of a call: what its buttons do, without the mouse.

import { byID } from "./dom.js";

const buttons = { m: "mute-microphone", v: "mute-camera", q: "quality-toggle", f: "full-screen", h: "hang-up" };

/** Each button's title names its key. */
export function bindKeys() {
  for (const [key, id] of Object.entries(buttons)) {
    byID(id).title += ` (${key.toUpperCase()})`;
    byID(id).setAttribute("aria-keyshortcuts", key);
  }
  document.addEventListener("keydown", (event) => {
    const button = byID(buttonOf(event));
    if (!button || button.disabled || !button.getClientRects().length) return;
    event.preventDefault();
    button.click();
  });
}

/** The id of the button that a key press means: none while the person types, holds the key down, or answers a dialog. */
export function buttonOf({ key, target, repeat, isComposing, ctrlKey, altKey, metaKey }) {
  if (repeat || isComposing || ctrlKey || altKey || metaKey) return null;
  if (target?.closest?.("input, textarea, select, [contenteditable], dialog")) return null;
  return Object.hasOwn(buttons, key.toLowerCase()) ? buttons[key.toLowerCase()] : null;
}
