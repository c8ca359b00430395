// Who is online, and the devices that were: the list, the wall, the map and the devices' pages show the same.

import { Settle } from "./settle.js";
import { Statuses } from "./status.js";

const refreshInterval = 15_000;
/** The hub's own directory changes seldom, and says what the list of those online cannot. */
const directoryInterval = 60_000;
/** Presence events come in bursts, and where many people are they never end. */
const settling = { delay: 150, longest: 2_000 };
/** The most that the hub lists at once. */
const limit = 1_000;

/**
 * Dispatches `change` when what is known has changed, and `failure` (detail: the error) when the list could not be had.
 *
 * A user is one of the hub's list, with `status` as far as this page knows it better, `positionAge` as it is by now, and, where the
 * hub's directory has them, `groups` and `lastSeen` (milliseconds since 1970). A device that has gone stays, `offline`.
 */
export class KnownUsers extends EventTarget {
  /** Whether a list has come. */
  isLoaded = false;
  #hub;
  #scope;
  #users = new Map();
  /** By id, what the hub's directory of devices says; empty where it has none, or shows it not to this person. */
  #directory = new Map();
  #directoryAt = -Infinity;
  #statuses = new Statuses();
  #timer = null;
  #settle = new Settle(() => this.refresh(), settling);
  /** When the list came, since when its positions have aged further. */
  #cameAt = 0;
  /** Lists are numbered as they are asked for; the newest that came counts. */
  #asked = 0;
  #shown = 0;

  /** `scope` returns the position to measure from, or null, and how far to look, as the hub takes it: `{position, within}`. */
  constructor(hub, events, scope) {
    super();
    this.#hub = hub;
    this.#scope = scope;
    events.addEventListener("open", () => this.#setStale(false));
    events.addEventListener("lost", () => this.#setStale(true));
    events.addEventListener("hello", () => this.#settle.soon());
    events.addEventListener("presence", () => this.#settle.soon());
  }

  start() {
    this.refresh();
    this.#timer = setInterval(() => this.refresh(), refreshInterval);
  }

  /** Forgets everything: the next login may be another person's. */
  stop() {
    clearInterval(this.#timer);
    this.#settle.cancel();
    this.#shown = this.#asked + 1;
    this.#users.clear();
    this.#directory.clear();
    this.#directoryAt = -Infinity;
    this.isLoaded = false;
    this.#changed();
  }

  /** All of them, in no order. */
  all() {
    const now = performance.now();
    return [...this.#users.values()].map((user) => this.#asOfNow(user, now));
  }

  /** Undefined for who is not known. */
  get(userID) {
    const user = this.#users.get(userID);
    return user && this.#asOfNow(user, performance.now());
  }

  /** What a call shows of the presence of the called party. */
  learn(call) {
    if (!call.isCaller) return;
    if (call.state === "connecting") this.#statuses.wasFree(call.party.userID);
    if (call.outcome?.kind === "rejected" && call.outcome.reason === "busy") {
      this.#statuses.wasBusy(call.party.userID, performance.now());
    }
    this.#changed();
  }

  async refresh() {
    const number = ++this.#asked;
    const { position, within } = this.#scope();
    try {
      const [{ items }] = await Promise.all([this.#hub.users({ position, within, limit }), this.#loadDirectory()]);
      if (number < this.#shown) return;
      this.#shown = number;
      this.#take(items, within);
    } catch (error) {
      if (error.status === 401 || number < this.#shown) return;
      this.dispatchEvent(new CustomEvent("failure", { detail: error }));
    }
  }

  /** Who is not within a distance that was asked for may be online all the same, and is left out. */
  #take(items, within) {
    const before = this.#users;
    this.#cameAt = performance.now();
    this.isLoaded = true;
    this.#users = new Map(items.map((user) => [user.userID, user]));
    if (!within) this.#keepDevices(before);
    this.#changed();
  }

  /** One that the directory calls online and the list has never had is of groups that this person is not in. */
  #keepDevices(before) {
    for (const [userID, user] of [...before, ...this.#directory]) {
      if (this.#users.has(userID) || user.kind !== "device") continue;
      const wasOnline = user.status !== "offline" && before.has(userID);
      const known = this.#directory.get(userID);
      if (known?.isOnline && !wasOnline) continue;
      // The directory is older than the list.
      if (known) known.isOnline = false;
      this.#users.set(userID, {
        ...user, status: "offline", lastSeen: wasOnline ? Date.now() : user.lastSeen, positionAge: undefined,
      });
    }
  }

  /** A hub without a directory, or one that shows it to others alone, is asked once. */
  async #loadDirectory() {
    const now = performance.now();
    if (now - this.#directoryAt < directoryInterval) return;
    this.#directoryAt = now;
    try {
      const { items } = await this.#hub.devices();
      const shown = items.filter(({ isDisabled }) => !isDisabled);
      this.#directory = new Map(shown.map(({ id, title, groups, isOnline, lastSeen, report }) =>
        [id, { userID: id, userTitle: title, kind: "device", groups, isOnline, lastSeen, report }]));
    } catch (error) {
      if (error.status === 403 || error.status === 404) this.#directoryAt = Infinity;
    }
  }

  #asOfNow(user, now) {
    const known = this.#directory.get(user.userID);
    const positionAge = user.positionAge == null ? null : user.positionAge + (now - this.#cameAt) / 1000;
    const status = user.status === "offline" ? "offline" : this.#statuses.of(user, now);
    const lastSeen = user.lastSeen ?? known?.lastSeen;
    return { ...user, positionAge, groups: known?.groups ?? [], report: known?.report, lastSeen, status };
  }

  #setStale(isStale) {
    this.#statuses.isStale = isStale;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
