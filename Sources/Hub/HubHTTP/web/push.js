// Ringing while the page is closed: the browser's push subscription, and the hub's record of it.

import { forgetRing, keepRing, ringOwner } from "./credentials.js";
import { installation, readyInstallation } from "./installation.js";
import { language } from "./language.js";
import { Turns } from "./turns.js";

/** How long the browser may take to give a subscription up, in milliseconds. */
const farewellLimit = 5_000;

/** Why this browser cannot be rung: `insecure`, `home-screen`, `unsupported`, `denied` or `undecided`. */
export class PushObstacle extends Error {
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Whether this device rings while the page is closed. The wish is kept in this browser for the person who switched it on; the
 * hub ties a subscription to the login that registered it, so each login registers it again.
 */
export class Push {
  /** Whether the hub knows this browser's subscription under the login that there is. */
  isRegistered = false;
  #hub;
  #userID = null;
  #id = null;
  #turns = new Turns();

  constructor(hub) {
    this.#hub = hub;
  }

  get isWanted() {
    return this.#userID !== null && ringOwner() === this.#userID;
  }

  /** A person has logged in. */
  start(userID) {
    this.#userID = userID;
    this.#id = null;
    this.isRegistered = false;
  }

  /** The login is over, but not by the person's wish: the next one registers again. */
  pause() {
    this.start(null);
  }

  /** Upon a click: browsers ask for permission only then. Throws a {@link PushObstacle}, or an error of hub or browser. */
  async turnOn() {
    const obstacle = obstacleHere();
    if (obstacle) throw new PushObstacle(obstacle);
    const permission = await Notification.requestPermission();
    if (permission !== "granted") throw new PushObstacle(permission === "denied" ? "denied" : "undecided");
    await this.#turns.take(async () => {
      if (ringOwner() !== this.#userID) await this.#unsubscribe();
      await this.#register();
      keepRing(this.#userID);
    });
  }

  /** Also before the person logs out. */
  turnOff() {
    return this.#turns.take(async () => {
      if (!this.isWanted) return;
      forgetRing();
      this.isRegistered = false;
      const id = this.#id;
      this.#id = null;
      await Promise.all([id !== null && this.#hub.removePushSubscription(id).catch(() => {}), this.#unsubscribe()]);
    });
  }

  /**
   * Registers the subscription under the login that there is, or a new one where the browser has lost it; what another person
   * left behind is given up instead. Throws as {@link turnOn} does.
   */
  renew() {
    return this.#turns.take(async () => {
      const owner = ringOwner();
      if (this.isRegistered || this.#userID === null || owner === null) return;
      if (owner !== this.#userID) {
        forgetRing();
        return this.#unsubscribe();
      }
      const obstacle = obstacleHere();
      if (obstacle) throw new PushObstacle(obstacle);
      if (Notification.permission !== "granted") throw new PushObstacle("denied");
      await this.#register();
    });
  }

  async #register() {
    const userID = this.#userID;
    const { applicationServerKey } = await this.#hub.push();
    const registration = await readyInstallation();
    if (!registration?.pushManager) throw new PushObstacle("unsupported");
    const subscription = await subscribe(registration.pushManager, publicKey(applicationServerKey));
    const answer = await this.#hub.addPushSubscription({ ...subscription.toJSON(), language });
    if (userID !== this.#userID) return;
    this.#id = answer.id;
    this.isRegistered = true;
  }

  async #unsubscribe() {
    const registration = await installation();
    if (registration) globalThis.caches?.delete(`livesessions.muted ${new URL(registration.scope).pathname}`).catch(() => {});
    const farewell = registration?.pushManager?.getSubscription().then((subscription) => subscription?.unsubscribe());
    // A browser that does not answer keeps a subscription that no hub knows any longer.
    await Promise.race([farewell?.catch(() => {}), new Promise((resolve) => setTimeout(resolve, farewellLimit))]);
  }
}

/** Why this browser cannot be rung at this address; null when it can, if the person allows it. */
export function obstacleHere({ isSecure = window.isSecureContext, has = (name) => name in window } = {}) {
  if (!isSecure) return "insecure";
  if (has("PushManager") && has("Notification") && navigator.serviceWorker) {
    return Notification.permission === "denied" ? "denied" : null;
  }
  return isAppleMobile(navigator) ? "home-screen" : "unsupported";
}

/** Safari there has pushes only for pages on the home screen. An iPad says that it is a Mac, but has a touch screen. */
export function isAppleMobile({ userAgent, maxTouchPoints }) {
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

/** The 65 octets of an uncompressed point on P-256. */
export function publicKey(text) {
  const binary = atob(String(text).replaceAll("-", "+").replaceAll("_", "/"));
  const octets = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  if (octets.length !== 65 || octets[0] !== 4) throw new Error("the hub's key for pushes is none");
  return octets;
}

/** The browser's subscription, a new one where it was made for another key of the hub's. */
async function subscribe(manager, key) {
  const subscription = await manager.getSubscription();
  if (subscription && !isSame(subscription.options.applicationServerKey, key)) await subscription.unsubscribe();
  return manager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

function isSame(buffer, octets) {
  const other = new Uint8Array(buffer ?? []);
  return other.length === octets.length && other.every((octet, index) => octet === octets[index]);
}
