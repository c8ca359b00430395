// The browser's notifications of incoming calls, for those who switched them on.

import { byID, notify } from "./dom.js";

const storageKey = "livesessions.notifications";
const labels = { on: "Notifications on", off: "Notifications off", blocked: "Notifications blocked" };
const blockedText = "The browser blocks notifications of this page. Allow them beside the address, then try again.";

/** Shows one notification at a time, and keeps the switch in the page's header. */
export class Notifications {
  #isWanted = isKept();
  #isAvailable = "Notification" in window && window.isSecureContext;
  #shown = null;

  constructor() {
    byID("notify-calls").addEventListener("click", () => this.#switch());
    this.#render();
  }

  /** A visible page needs none. */
  show(title, tag) {
    if (this.#state !== "on" || (document.hasFocus() && !document.hidden)) return;
    try {
      this.#shown = new Notification(title, { tag, requireInteraction: true, icon: "icon.svg" });
    } catch {
      // Some phones have notifications only for pages with a service worker.
      this.#isAvailable = false;
      return this.#render();
    }
    this.#shown.addEventListener("click", () => window.focus());
  }

  close() {
    this.#shown?.close();
    this.#shown = null;
  }

  get #state() {
    if (!this.#isAvailable || Notification.permission === "default") return "off";
    if (Notification.permission === "denied") return "blocked";
    return this.#isWanted ? "on" : "off";
  }

  /** The browser asks for permission only upon a click. */
  async #switch() {
    this.#keep(this.#state !== "on");
    if (this.#isWanted) await Notification.requestPermission();
    this.#render();
    if (this.#isWanted && this.#state === "blocked") notify(blockedText);
  }

  #keep(isWanted) {
    this.#isWanted = isWanted;
    try {
      localStorage.setItem(storageKey, isWanted ? "on" : "off");
    } catch {
      // Without storage the switch lasts as long as the page.
    }
  }

  #render() {
    const button = byID("notify-calls");
    button.hidden = !this.#isAvailable;
    button.dataset.state = this.#state;
    button.title = labels[this.#state];
    button.setAttribute("aria-checked", String(this.#state === "on"));
    byID("notify-calls-words").textContent = labels[this.#state];
  }
}

function isKept() {
  try {
    return localStorage.getItem(storageKey) === "on";
  } catch {
    return false;
  }
}
