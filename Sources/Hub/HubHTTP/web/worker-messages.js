// What the page's service worker says to the page.

import { isSessionID } from "./session-id.js";

/** `handlers` gets the message's content by its kind: `call.wanted`, `call.notified`, `push.changed`. */
export function bindWorkerMessages(handlers) {
  navigator.serviceWorker?.addEventListener("message", ({ data }) => {
    if (!data || !Object.hasOwn(handlers, data.kind)) return;
    if (data.kind.startsWith("call.") && !isSessionID(data.sessionID)) return;
    handlers[data.kind](data);
  });
}
