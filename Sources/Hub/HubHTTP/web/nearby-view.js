// Who is online around here.

import { byID, fromTemplate, setWords } from "./dom.js";
import { distanceWords, errorWords, statusWords } from "./words.js";

const refreshInterval = 15_000;
/** Presence events come in bursts. */
const settleDelay = 150;

/** Keeps the list; dispatches `choose` (detail: `{user, action}`). */
export class NearbyView extends EventTarget {
  /** @type {() => ({latitude: number, longitude: number} | null)} */
  #position;
  #hub;
  #timer = null;
  #settling = null;
  #users = new Map();
  #isBusy = false;

  constructor(hub, events, position) {
    super();
    this.#hub = hub;
    this.#position = position;
    events.addEventListener("hello", () => this.refreshSoon());
    events.addEventListener("presence", () => this.refreshSoon());
    byID("within").addEventListener("change", () => this.refresh());
    byID("nearby").addEventListener("click", (event) => this.#clicked(event));
  }

  start() {
    this.refresh();
    this.#timer = setInterval(() => this.refresh(), refreshInterval);
  }

  stop() {
    clearInterval(this.#timer);
    clearTimeout(this.#settling);
    this.#users.clear();
    this.#render([]);
  }

  /** While a call is on nobody else can be called. */
  setBusy(isBusy) {
    this.#isBusy = isBusy;
    this.#render([...this.#users.values()]);
  }

  refreshSoon() {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.refresh(), settleDelay);
  }

  async refresh() {
    try {
      const { items } = await this.#hub.users({ position: this.#position(), within: byID("within").value });
      this.#users = new Map(items.map((user) => [user.userID, user]));
      this.#render(items);
    } catch (error) {
      if (error.status !== 401) setWords(byID("nearby-empty"), errorWords(error));
    }
  }

  /** Rows are kept as long as their users stay, so that the keyboard's focus does too. */
  #render(users) {
    const list = byID("nearby");
    const rows = new Map([...list.children].map((row) => [row.dataset.userId, row]));
    users.forEach((user, index) => {
      const row = rows.get(user.userID) ?? fromTemplate("user-template");
      rows.delete(user.userID);
      fill(row, user, this.#isBusy);
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
    });
    for (const row of rows.values()) row.remove();
    setWords(byID("nearby-empty"), users.length ? "" : "Nobody else is online.");
  }

  #clicked({ target }) {
    const action = target.closest("button")?.dataset.action;
    const user = this.#users.get(target.closest(".user")?.dataset.userId);
    if (action && user) this.dispatchEvent(new CustomEvent("choose", { detail: { user, action } }));
  }
}

function fill(row, user, isBusy) {
  const isDevice = user.kind === "device";
  Object.assign(row.dataset, { userId: user.userID, title: user.userTitle, kind: user.kind, status: user.status });
  row.querySelector(".title").textContent = user.userTitle;
  row.querySelector(".status").textContent = statusWords(user.status);
  row.querySelector(".distance").textContent = user.distance == null ? "" : distanceWords(user.distance);
  const isShown = { video: user.isVideo, audio: user.isAudio, watch: isDevice && user.isVideo, archives: isDevice };
  for (const button of row.querySelectorAll("button")) {
    const { action } = button.dataset;
    button.hidden = !isShown[action];
    button.disabled = isBusy && action !== "archives";
    button.setAttribute("aria-label", `${button.textContent.trim()}: ${user.userTitle}`);
  }
}
