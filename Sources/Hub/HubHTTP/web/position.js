// The person's own position: asked for only when they tick the box, and rounded before it leaves the page.

import { byID, notify } from "./dom.js";
import { texts } from "./texts.js";

/** About a hundred metres: enough for a list ordered by distance. */
const decimals = 3;
/** How long the browser may search for it, and the maximum age of a known one. */
const search = { timeout: 20_000, maximumAge: 30_000 };

/** Calls `onMove` with the position, or with null when it is no longer shared. */
export function bindPosition(onMove) {
  const box = byID("share-position");
  /** Searches cannot be called off: the end of one that is no longer wanted means nothing. */
  let wanted = null;
  box.addEventListener("change", () => {
    byID("within").hidden = !box.checked;
    const own = (wanted = Symbol("search"));
    if (!box.checked) return onMove(null);
    if (!navigator.geolocation) return refuse(box, texts.list.noGeolocation);
    const ifWanted = (end) => (result) => { if (own === wanted) end(result); };
    navigator.geolocation.getCurrentPosition(
      ifWanted(({ coords }) => onMove({ latitude: round(coords.latitude), longitude: round(coords.longitude) })),
      ifWanted((error) => refuse(box, error.code === error.PERMISSION_DENIED
        ? texts.list.positionDenied : texts.list.positionUnknown)),
      search,
    );
  });
}

function refuse(box, text) {
  box.checked = false;
  byID("within").hidden = true;
  notify(text);
}

function round(degrees) {
  return Number(degrees.toFixed(decimals));
}
