// Whether media arrives, whatever the browser says of its path.

/** Media that came within this time is a sign of life. */
const lifetime = 2_000;

/** The bytes of media received so far, all streams together, by an RTCStatsReport's entries. */
export function receivedBytes(reports) {
  let bytes = 0;
  for (const { type, bytesReceived } of reports) if (type === "inbound-rtp") bytes += bytesReceived ?? 0;
  return bytes;
}

/** Times are milliseconds of one monotonic clock. */
export class MediaLife {
  #bytes = null;
  #grewAt = -Infinity;

  /** The count at `now`; the first one says nothing yet. */
  note(bytes, now) {
    if (this.#bytes !== null && bytes > this.#bytes) this.#grewAt = now;
    this.#bytes = bytes;
  }

  isAlive(now) {
    return now - this.#grewAt < lifetime;
  }
}
