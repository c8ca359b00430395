// Who is logged in: kept for this tab only, gone when the tab closes, unless this device rings while the page is closed. And
// the token by which the hub knows this browser.

/** Several hubs may lie below paths of one origin, which have one storage: none gets what belongs to another. */
const base = new URL(".", location.href).pathname;
const suffix = base === "/" ? "" : ` ${base}`;
const loginKey = `livesessions.login${suffix}`;
const clientKey = `livesessions.clients${suffix}`;
/** The login that all tabs of a device share that rings while the page is closed, and the user id of whose it is. */
const keptKey = `livesessions.kept-login${suffix}`;
const ringKey = `livesessions.ring${suffix}`;
const maximumClients = 8;
/** Longer than a renewal may take, in milliseconds. */
const lockLimit = 20_000;

/**
 * The stored login `{userID, userTitle, role, accessToken, expiresIn, receivedAt}`.
 *
 * Its token may have run out: whether it can still be renewed is for the hub to say.
 */
export function restore() {
  const own = read(session, loginKey);
  return own ? newest(own) : read(local, keptKey);
}

/** In a browser that keeps nothing a login lasts as long as the page. */
export function save(login) {
  write(session, loginKey, login);
  if (isShared(login)) write(local, keptKey, login);
  else if (read(local, keptKey)?.userID === login.userID) write(local, keptKey, null);
}

/** Also for the other tabs, where they have this person's login. */
export function clear({ userID }) {
  write(session, loginKey, null);
  if (read(local, keptKey)?.userID === userID) write(local, keptKey, null);
}

/** Whether all tabs of this browser share this login. */
export function isShared(login) {
  return login !== null && ringOwner() !== null && ringOwner() === login.userID;
}

/** The login with the newest token, where another tab has renewed a shared one. */
export function newest(login) {
  const kept = isShared(login) ? read(local, keptKey) : null;
  return kept && kept.userID === login.userID && kept.receivedAt > login.receivedAt ? kept : login;
}

/** For one tab at a time: which of two that renew a shared login has the newest token, the other could not know. */
export function alone(step) {
  if (!navigator.locks) return step();
  return navigator.locks.request(keptKey, { signal: AbortSignal.timeout(lockLimit) }, step);
}

/** For whom this device rings while the page is closed, or null. */
export function ringOwner() {
  const owner = read(local, ringKey);
  return typeof owner === "string" ? owner : null;
}

export function keepRing(userID) {
  write(local, ringKey, userID);
}

export function forgetRing() {
  write(local, ringKey, null);
}

/** What the last login under that title was answered with, so that others who guess at its password are no obstacle. */
export function clientToken(userTitle) {
  return clients().find(({ title }) => title === userTitle.toLowerCase())?.token;
}

export function saveClientToken(userTitle, token) {
  const title = userTitle.toLowerCase();
  const others = clients().filter((client) => client.title !== title);
  write(local, clientKey, [{ title, token }, ...others].slice(0, maximumClients));
}

function clients() {
  const stored = read(local, clientKey);
  return Array.isArray(stored) ? stored.filter((client) => typeof client?.title === "string") : [];
}

// Where a browser permits no storage, naming it throws already.
const session = () => sessionStorage;
const local = () => localStorage;

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
