// What the list shows of a user's presence: what the hub reports, and what this page knows better.

/** A user who has just refused a call as busy is shown as busy for this long. */
const busyFor = 60_000;

/** Times are milliseconds of one monotonic clock. */
export class Statuses {
  /** Whether the hub's list is out of date, because its event stream is down. */
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
