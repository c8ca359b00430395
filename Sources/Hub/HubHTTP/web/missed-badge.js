// The number of missed calls, on the button that opens their list.

import { byID, setText } from "./dom.js";
import { texts } from "./texts.js";

/** `history` is the {@link CallHistory}. */
export function bindMissedBadge(history) {
  history.addEventListener("missed", () => {
    const { missed } = history;
    setText(byID("calls-badge"), missed ? (missed > 99 ? "99+" : String(missed)) : "");
    byID("calls-open").setAttribute("aria-label", texts.calls.open(missed));
  });
}
