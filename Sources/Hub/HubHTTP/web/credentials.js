// Who is logged in: kept for this tab only, gone when the tab closes. And the token by which the hub knows this browser.

/** Several hubs may lie below paths of one origin, which have one storage: none gets what belongs to another. */
const base = new URL(".", location.href).pathname;
const suffix = base === "/" ? "" : ` ${base}`;
const loginKey = `livesessions.login${suffix}`;
const clientKey = `livesessions.clients${suffix}`;
const maximumClients = 8;

/**
 * The stored login `{userID, userTitle, role, accessToken, expiresIn, receivedAt}`.
 *
 * Its token may have run out: whether it can still be renewed is for the hub to say.
 */
export function restore() {
  return read(() => sessionStorage, loginKey);
}

/** In a browser that keeps nothing a login lasts as long as the page. */
export function save(login) {
  write(() => sessionStorage, loginKey, login);
}

export function clear() {
  write(() => sessionStorage, loginKey, null);
}

/** What the last login under that title was answered with, so that others who guess at its password are no obstacle. */
export function clientToken(userTitle) {
  return clients().find(({ title }) => title === userTitle.toLowerCase())?.token;
}

export function saveClientToken(userTitle, token) {
  const title = userTitle.toLowerCase();
  const others = clients().filter((client) => client.title !== title);
  write(() => localStorage, clientKey, [{ title, token }, ...others].slice(0, maximumClients));
}

function clients() {
  const stored = read(() => localStorage, clientKey);
  return Array.isArray(stored) ? stored.filter((client) => typeof client?.title === "string") : [];
}

// Where a browser permits no storage, naming it throws already.

function read(storage, key) {
  try {
    return JSON.parse(storage().getItem(key));
  } catch {
    return null;
  }
}

/** Null removes what is there. */
function write(storage, key, value) {
  try {
    if (value === null) storage().removeItem(key);
    else storage().setItem(key, JSON.stringify(value));
  } catch {
    // Only the next page notices.
  }
}
