// Asks before a recording is deleted, and for its new name.

import { byID } from "./dom.js";
import { texts } from "./view-texts.js";

/** Resolves with whether it is to be deleted. */
export async function confirmRemoval(title) {
  return await ask({ question: texts.recordings.confirmRemove(title), verb: texts.recordings.remove, name: null }) !== null;
}

/** Resolves with the new name; null to leave it. */
export function askName(name) {
  return ask({ question: texts.recordings.rename, verb: texts.recordings.rename, name });
}

function ask({ question, verb, name }) {
  const [dialog, field] = [byID("archive-dialog"), byID("archive-name")];
  byID("archive-question").textContent = question;
  Object.assign(byID("archive-confirm"), { textContent: verb, className: name === null ? "danger" : "primary" });
  byID("archive-name-field").hidden = name === null;
  field.value = name ?? "";
  return new Promise((resolve) => {
    let answer = null;
    const stop = new AbortController();
    const on = (element, type, does) => element.addEventListener(type, does, { signal: stop.signal });
    on(byID("archive-form"), "submit", () => { answer = field.value.trim(); });
    on(byID("archive-cancel"), "click", () => dialog.close());
    on(dialog, "close", () => {
      stop.abort();
      dialog.hidden = true;
      resolve(answer);
    });
    dialog.hidden = false;
    dialog.showModal();
  });
}
