// What the list shows of somebody's presence: what the hub says, and what this page knows better.

/** Who has just refused a call as busy is taken to be so for this long. */
const busyFor = 60_000;

/** Times are milliseconds of one monotonic clock. */
export class Statuses {
  /** Whether the hub's word is out of date, because its event stream is down. */
  isStale = false;
  #busyUntil = new Map();

  /** A call to this user was refused as busy. */
  wasBusy(userID, now) {
    this.#busyUntil.set(userID, now + busyFor);
  }

  /** A call to this user was answered. */
  wasFree(userID) {
    this.#busyUntil.delete(userID);
  }

  /** `available`, `busy`, `do-not-disturb`, a later one, or `unknown`. */
  of({ userID, status }, now) {
    if (this.isStale) return "unknown";
    if (status === "available" && now < (this.#busyUntil.get(userID) ?? -Infinity)) return "busy";
    return status;
  }
}
