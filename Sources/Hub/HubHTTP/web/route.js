// Addresses within the page: what of it shows stands behind the `#`, so that links, bookmarks, back and forward lead there.

/** What has an address of its own; `wall` is where all others lead. */
const plainViews = ["calls", "settings", "administration", "guest"];
/** What of a device has one. */
const deviceParts = ["events", "recordings", "snapshot"];

/** The most of an id or filter that an address may have, in UTF-16 units. */
const longest = 128;
/** No recording plays for longer, in seconds. */
const latest = 366 * 86_400;

/**
 * What an address (`location.hash`) means: `{ view, id?, part?, item?, at?, filter? }`. `id` is a device's or a call's, `part`
 * one of a device's views, `item` an event or a recording in it, `at` seconds within that. An address may come from anybody: what
 * is no id in it leads to the wall.
 */
export function parseRoute(hash) {
  const [path, query = ""] = splitOnce(String(hash).replace(/^#?\/?/, ""), "?");
  const segments = path.split("/").filter((segment) => segment !== "").map(decoded);
  const parameters = new URLSearchParams(query);
  const filter = parameters.get("filter");
  const more = isName(filter) ? { filter } : {};
  const [view, id, part, item] = segments;
  if (!segments.every(isName) || segments.length > 4) return { view: "wall" };
  if (plainViews.includes(view) && segments.length <= 2) return { view, ...(id && { id }), ...more };
  if (view !== "devices" || !id) return { view: "wall", ...(segments.length ? {} : more) };
  // A part of a later version is not known here, but the device is.
  if (!deviceParts.includes(part)) return { view, id };
  const at = item ? secondsIn(parameters.get("t")) : null;
  return { view, id, part, ...(item && { item }), ...(at !== null && { at }), ...more };
}

/** The address of a route, which `parseRoute` reads again. */
export function addressOf({ view, id, part, item, at, filter }) {
  const names = view === "wall" ? [] : [view, id, ...(id ? [part] : []), ...(id && part ? [item] : [])];
  const query = new URLSearchParams();
  if (item != null && at != null) query.set("t", String(Math.max(0, Math.round(at * 1000) / 1000)));
  if (filter) query.set("filter", filter);
  const path = names.filter((name) => name != null).map(encodeURIComponent).join("/");
  return `#/${path}${query.size || [...query].length ? `?${query}` : ""}`;
}

/** Follows the page's address; dispatches `route` (detail: the route) when another one is to be shown. */
export class Router extends EventTarget {
  #current = parseRoute(location.hash);

  constructor() {
    super();
    addEventListener("hashchange", () => this.#show(parseRoute(location.hash)));
  }

  /** What the address says now. */
  get current() {
    return this.#current;
  }

  /** Shows another part of the page; what shows already is shown again, without another step in the history. */
  go(route, { isReplacing = false } = {}) {
    const address = addressOf(route);
    if (isReplacing || address === addressOf(this.#current)) history.replaceState(history.state, "", address);
    else history.pushState(null, "", address);
    this.#show(parseRoute(address));
  }

  #show(route) {
    this.#current = route;
    this.dispatchEvent(new CustomEvent("route", { detail: route }));
  }
}

function splitOnce(text, mark) {
  const index = text.indexOf(mark);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}

/** Ids become parts of the hub's addresses: none may mean a way up there. */
function isName(text) {
  return typeof text === "string" && text.length > 0 && text.length <= longest && !/^\.+$|[\p{C}/\\]/u.test(text);
}

function secondsIn(text) {
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(text ?? "")) return null;
  return Math.min(Number(text), latest);
}
