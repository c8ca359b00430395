// Ids of sessions: the caller chooses one, so that asking twice is harmless.

/** Whether it may be one; it goes into addresses. */
export function isSessionID(text) {
  return typeof text === "string" && /^[0-9a-f-]{36}$/i.test(text);
}

/** A random UUID, also on a page without a secure context (where `randomUUID` is missing). */
export function newSessionID() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
