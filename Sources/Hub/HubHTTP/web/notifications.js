// The browser's notifications of incoming calls, for those who switched them on.

import { byID, notify } from "./dom.js";
import { closeNotifications, installation } from "./installation.js";
import { texts } from "./texts.js";

const storageKey = "livesessions.notifications";

/** Shows one notification at a time, and keeps the switch in the page's header. */
export class Notifications {
  #isWanted = isKept();
  #isAvailable = "Notification" in window && window.isSecureContext;
  #shown = null;
  #tag = null;

  constructor() {
    byID("notify-calls").addEventListener("click", () => this.#switch());
    this.#render();
  }

  /** A visible page needs none. `tag` is the call's id. */
  show(title, tag) {
    this.#tag = tag;
    if (this.#state !== "on" || isInView()) return;
    const options = { tag, requireInteraction: true, icon: "icon.svg" };
    try {
      this.#shown = new Notification(title, options);
    } catch {
      // Phones have notifications only of service workers.
      return this.#showByWorker(title, { ...options, data: { sessionID: tag } });
    }
    this.#shown.addEventListener("click", () => window.focus());
  }

  /** The worker's notification has buttons, and is one too many in a page that is in view. */
  shownByWorker(tag) {
    if (isInView()) closeNotifications(tag);
    else this.#closeOwn();
  }

  close() {
    this.#closeOwn();
    if (this.#tag) closeNotifications(this.#tag);
    this.#tag = null;
  }

  async #showByWorker(title, options) {
    const registration = await installation();
    if (this.#tag === options.tag) await registration?.showNotification(title, options).catch(() => {});
    if (this.#tag !== options.tag) closeNotifications(options.tag);
    if (registration) return;
    this.#isAvailable = false;
    this.#render();
  }

  #closeOwn() {
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
    if (this.#isWanted && this.#state === "blocked") notify(texts.notifications.howToUnblock);
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
    button.title = texts.notifications[this.#state];
    button.setAttribute("aria-checked", String(this.#state === "on"));
    byID("notify-calls-words").textContent = texts.notifications[this.#state];
  }
}

function isInView() {
  return document.hasFocus() && !document.hidden;
}

function isKept() {
  try {
    return localStorage.getItem(storageKey) === "on";
  } catch {
    return false;
  }
}
