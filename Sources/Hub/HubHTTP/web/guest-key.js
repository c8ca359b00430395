// How the hub knows that this browser is the one that an invitation was used in: by a key that scripts use, but cannot
// read.

/** Several hubs may lie below paths of one origin, which have one storage. */
const name = `livesessions.guest ${new URL(".", location.href).pathname}`;
const store = "keys";
/** Invitations whose keys are kept; the oldest go. */
const maximumKeys = 32;
const algorithm = { name: "HMAC", hash: "SHA-256" };

/** A new key, kept for `code`; returns what the hub is to know it by, 32 octets in base64url, and the key. */
export async function makeKey(code) {
  const octets = crypto.getRandomValues(new Uint8Array(32));
  const key = await crypto.subtle.importKey("raw", octets, algorithm, false, ["sign"]);
  const text = base64URL(octets);
  octets.fill(0);
  await put(await place(code), { key, at: Date.now() });
  return { key, text };
}

/** The key that is kept for `code`, or null. */
export async function keptKey(code) {
  const entry = await transact("readonly", (keys, id) => keys.get(id), await place(code));
  return entry?.key ?? null;
}

export async function forgetKey(code) {
  await transact("readwrite", (keys, id) => keys.delete(id), await place(code));
}

/** The answer to a challenge of the hub's. */
export async function prove(key, challenge) {
  return base64URL(new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(challenge))));
}

/** Whether this browser can keep such keys: it cannot without TLS. */
export function canKeepKeys() {
  return Boolean(globalThis.crypto?.subtle && globalThis.indexedDB);
}

/** Codes are secret; their hashes are not. */
async function place(code) {
  return base64URL(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(code))));
}

async function put(id, entry) {
  await transact("readwrite", (keys) => keys.put(entry, id));
  const ids = await transact("readonly", (keys) => keys.getAllKeys());
  if (ids.length <= maximumKeys) return;
  const entries = await transact("readonly", (keys) => keys.getAll());
  const oldest = ids.map((id, index) => ({ id, at: entries[index]?.at ?? 0 })).sort((one, other) => one.at - other.at);
  for (const { id } of oldest.slice(0, ids.length - maximumKeys)) {
    await transact("readwrite", (keys) => keys.delete(id));
  }
}

async function transact(mode, step, id) {
  const database = await opened();
  try {
    return await finished(step(database.transaction(store, mode).objectStore(store), id));
  } finally {
    database.close();
  }
}

function opened() {
  const request = indexedDB.open(name, 1);
  request.addEventListener("upgradeneeded", () => request.result.createObjectStore(store));
  return finished(request);
}

function finished(request) {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
    request.addEventListener("blocked", () => reject(new Error("the browser's storage is busy")));
  });
}

function base64URL(octets) {
  return btoa(String.fromCharCode(...octets)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
