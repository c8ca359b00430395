// Keeps a login alive: its access token is renewed well before it runs out, also in a hidden page.

import * as credentials from "./credentials.js";

const checkInterval = 20_000;
/** The part of a token's life after which it is renewed: the rest is for a hub that cannot be reached just then. */
const renewedAfter = 0.6;

/** Dispatches `renewed` (detail: the login with its new token). */
export class Renewal extends EventTarget {
  #hub;
  #login = null;
  #ticker = null;
  #request = null;
  #obtain;

  /** `obtain` gets a login in place of the one there is. */
  constructor(hub, obtain = () => hub.renewToken()) {
    super();
    [this.#hub, this.#obtain] = [hub, obtain];
    hub.renew = () => this.renew();
  }

  start(login) {
    this.stop();
    this.#login = login;
    this.#ticker = new Worker("ticker.js");
    this.#ticker.addEventListener("message", () => this.#check());
    this.#ticker.postMessage(checkInterval);
  }

  stop() {
    this.#ticker?.terminate();
    this.#ticker = null;
    this.#login = null;
  }

  /** A fresh token, once for all concurrent callers; throws the hub's error if there is none. */
  renew() {
    this.#request ??= this.#renewOnce().finally(() => { this.#request = null; });
    return this.#request;
  }

  #renewOnce() {
    const login = this.#login;
    return credentials.isShared(login) ? credentials.alone(() => this.#take(login)) : this.#take(login);
  }

  /** What another tab has renewed is taken over: the hub takes two tokens of one login for a theft. */
  async #take(login) {
    const newest = credentials.newest(login);
    if (newest !== login) this.#hub.token = newest.accessToken;
    const isFresh = newest !== login && !isDue(newest);
    const fresh = isFresh ? newest : received({ ...newest, ...await this.#obtain() });
    if (login !== this.#login) return;
    this.#login = fresh;
    this.#hub.token = fresh.accessToken;
    this.dispatchEvent(new CustomEvent("renewed", { detail: fresh }));
  }

  /** A failure is no news: there is time for further tries, and the hub says in the end when there is no more. */
  #check() {
    if (this.#login && isDue(this.#login)) this.renew().catch(() => {});
  }
}

function isDue({ receivedAt, expiresIn }) {
  if (!receivedAt || !expiresIn) return false;
  const age = Date.now() - receivedAt;
  // A clock that was set back gives no age.
  return age < 0 || age > expiresIn * 1000 * renewedAfter;
}

/** The hub's answer with the time of its arrival, by which this browser's own clock measures the token's age. */
export function received(login) {
  return { ...login, receivedAt: Date.now() };
}
