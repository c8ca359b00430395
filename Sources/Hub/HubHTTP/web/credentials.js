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
  return read(sessionStorage, loginKey);
}

export function save(login) {
  sessionStorage.setItem(loginKey, JSON.stringify(login));
}

export function clear() {
  sessionStorage.removeItem(loginKey);
}

/** What the last login under that title was answered with, so that others who guess at its password are no obstacle. */
export function clientToken(userTitle) {
  return clients().find(({ title }) => title === userTitle.toLowerCase())?.token;
}

export function saveClientToken(userTitle, token) {
  const title = userTitle.toLowerCase();
  const others = clients().filter((client) => client.title !== title);
  try {
    localStorage.setItem(clientKey, JSON.stringify([{ title, token }, ...others].slice(0, maximumClients)));
  } catch {
    // A browser that keeps nothing is merely not known.
  }
}

function clients() {
  const stored = read(localStorage, clientKey);
  return Array.isArray(stored) ? stored : [];
}

function read(storage, key) {
  try {
    return JSON.parse(storage.getItem(key));
  } catch {
    return null;
  }
}
