// Users who are online nearby.

import { byID, fromTemplate, setText } from "./dom.js";
import { distanceText } from "./formats.js";
import { Settle } from "./settle.js";
import { Statuses } from "./status.js";
import { errorText, positionAgeText, statusText, texts } from "./texts.js";

const refreshInterval = 15_000;
/** Presence events come in bursts, and where many people are they never end. */
const settling = { delay: 150, longest: 2_000 };
/** What can be done while a call is on. */
const withoutCall = new Set(["archives", "snapshot", "events"]);

/** Keeps the list; dispatches `choose` (detail: `{user, action}`), and `list` when it has come. */
export class NearbyView extends EventTarget {
  /** @type {() => ({latitude: number, longitude: number} | null)} */
  #position;
  #hub;
  #timer = null;
  #settle = new Settle(() => this.refresh(), settling);
  #users = new Map();
  #statuses = new Statuses();
  #maySeeArchives;
  #isBusy = false;
  /** When the list came that is shown, since when its positions have aged further. */
  #cameAt = 0;
  /** Lists are numbered as they are asked for; the newest that came is shown. */
  #asked = 0;
  #shown = 0;

  /** `maySeeArchives` is whether the hub shows this person the recordings and snapshots of devices. */
  constructor(hub, events, { position, maySeeArchives }) {
    super();
    this.#hub = hub;
    this.#position = position;
    this.#maySeeArchives = maySeeArchives;
    events.addEventListener("open", () => this.#setStale(false));
    events.addEventListener("lost", () => this.#setStale(true));
    events.addEventListener("hello", () => this.#settle.soon());
    events.addEventListener("presence", () => this.#settle.soon());
    byID("within").addEventListener("change", () => this.refresh());
    byID("nearby").addEventListener("click", (event) => this.#clicked(event));
  }

  start() {
    this.refresh();
    this.#timer = setInterval(() => this.refresh(), refreshInterval);
  }

  stop() {
    clearInterval(this.#timer);
    this.#settle.cancel();
    this.#shown = this.#asked + 1;
    this.#users.clear();
    this.#render([]);
  }

  /** One of the list; undefined while it is not online. */
  user(id) {
    return this.#users.get(id);
  }

  /** While a call is on there can be no other. */
  setBusy(isBusy) {
    this.#isBusy = isBusy;
    this.#renderAgain();
  }

  /** Puts the keyboard's focus on the list. */
  focus() {
    byID("nearby-heading").tabIndex = -1;
    byID("nearby-heading").focus();
  }

  /** What a call shows of the presence of the called party. */
  learn(call) {
    if (!call.isCaller) return;
    if (call.state === "connecting") this.#statuses.wasFree(call.party.userID);
    if (call.outcome?.kind === "rejected" && call.outcome.reason === "busy") {
      this.#statuses.wasBusy(call.party.userID, performance.now());
    }
    this.#renderAgain();
  }

  #setStale(isStale) {
    this.#statuses.isStale = isStale;
    this.#renderAgain();
  }

  #renderAgain() {
    this.#render([...this.#users.values()]);
  }

  async refresh() {
    const number = ++this.#asked;
    try {
      const { items } = await this.#hub.users({ position: this.#position(), within: byID("within").value });
      if (number < this.#shown) return;
      this.#shown = number;
      this.#cameAt = performance.now();
      this.#users = new Map(items.map((user) => [user.userID, user]));
      this.#render(items);
      this.dispatchEvent(new Event("list"));
    } catch (error) {
      if (error.status === 401 || number < this.#shown) return;
      this.#renderAgain();
      setText(byID("nearby-empty"), errorText(error));
    }
  }

  /** Rows are kept as long as their users stay, so that the keyboard's focus does too. */
  #render(users) {
    const list = byID("nearby");
    const rows = new Map([...list.children].map((row) => [row.dataset.userId, row]));
    const now = performance.now();
    users.forEach((user, index) => {
      const row = rows.get(user.userID) ?? fromTemplate("user-template");
      rows.delete(user.userID);
      const positionAge = user.positionAge == null ? null : user.positionAge + (now - this.#cameAt) / 1000;
      fill(row, { ...user, positionAge, status: this.#statuses.of(user, now) });
      this.#fillButtons(row, user);
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
    });
    for (const row of rows.values()) row.remove();
    setText(byID("nearby-empty"), users.length ? "" : texts.list.nobody);
  }

  #fillButtons(row, { kind, userTitle, isAudio, isVideo }) {
    const isDevice = kind === "device";
    const isShown = {
      video: isVideo, audio: isAudio, watch: isDevice && isVideo, archives: isDevice && this.#maySeeArchives(),
      snapshot: isDevice && isVideo && this.#maySeeArchives(), events: isDevice && this.#maySeeArchives(),
    };
    for (const button of row.querySelectorAll("button")) {
      const { action } = button.dataset;
      button.hidden = !isShown[action];
      button.disabled = this.#isBusy && !withoutCall.has(action);
      button.setAttribute("aria-label", texts.list.action(button.textContent.trim(), userTitle));
    }
  }

  #clicked({ target }) {
    const action = target.closest("button")?.dataset.action;
    const user = this.#users.get(target.closest(".user")?.dataset.userId);
    if (action && user) this.dispatchEvent(new CustomEvent("choose", { detail: { user, action } }));
  }
}

function fill(row, user) {
  Object.assign(row.dataset, { userId: user.userID, title: user.userTitle, kind: user.kind, status: user.status });
  row.querySelector(".title").textContent = user.userTitle;
  row.querySelector(".status").textContent = statusText(user.status);
  row.querySelector(".distance").textContent = user.distance == null ? "" : distanceText(user.distance);
  const ageText = user.distance == null ? "" : positionAgeText(user.positionAge);
  row.querySelector(".position-age").textContent = ageText;
  row.dataset.position = ageText ? "old" : "";
}
