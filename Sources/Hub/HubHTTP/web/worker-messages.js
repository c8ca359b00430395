// What the page's service worker says to the page.

import { isSessionID } from "./session-id.js";

/** `handlers` gets the message's content by its kind: `call.wanted`, `call.notified`, `event.wanted`, `push.changed`. */
export function bindWorkerMessages(handlers) {
  navigator.serviceWorker?.addEventListener("message", ({ data }) => {
    if (!data || !Object.hasOwn(handlers, data.kind)) return;
    if (data.kind.startsWith("call.") && !isSessionID(data.sessionID)) return;
    if (data.kind.startsWith("event.") && !isEvent(data)) return;
    handlers[data.kind](data);
  });
}

/** Its ids go into the page's address. */
function isEvent({ deviceID, eventID }) {
  return /^[A-Za-z0-9_-]{1,128}$/.test(deviceID) && /^\d{8}T\d{6}Z-[0-9a-f]{8}$/.test(eventID);
}
