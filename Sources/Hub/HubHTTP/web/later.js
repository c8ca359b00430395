// Views that few people need: their modules are loaded when they are opened first, and do not make the page slower for all.

import { notify } from "./dom.js";
import { errorText } from "./texts.js";

/** A stand-in with `open` and `close` for the view that `load` gives a promise of; `loaded` is that view, or null before. */
export function later(load) {
  let loading = null;
  let view = null;
  let isWanted = false;
  return {
    async open(...details) {
      isWanted = true;
      try {
        loading ??= load();
        view = await loading;
        if (isWanted) view.open(...details);
      } catch (error) {
        if (!view) loading = null;
        notify(errorText(error));
      }
    },
    get loaded() {
      return view;
    },
    close() {
      isWanted = false;
      view?.close();
    },
  };
}
