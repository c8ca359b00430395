// The path of one call: whether anything comes through it, and an ICE restart when it has failed.

import { BackOff } from "./back-off.js";
import { MediaLife } from "./media-life.js";

const checkInterval = 1_000;

/**
 * Dispatches `up` when the path is connected, or media arrives although the browser doubts it, and `silent` when it
 * is not connected and nothing arrives.
 */
export class PathWatch extends EventTarget {
  #peer;
  #restart;
  #backOff = new BackOff();
  #life = null;
  #checks = null;
  #timer = null;

  /** `restart` makes and sends the offer that restarts ICE. */
  constructor(peer, restart) {
    super();
    this.#peer = peer;
    this.#restart = restart;
    peer.addEventListener("connection", ({ detail }) => this.#changed(detail));
  }

  close() {
    this.#endChecks();
    this.#endTimer();
  }

  /** Tries a restart as soon as the back-off permits, if `isNeeded` still then. */
  restartSoon(isNeeded = () => this.#hasFailed) {
    // The answer that is awaited decides first.
    if (this.#timer !== null || this.#peer.isOffering) return;
    this.#timer = setTimeout(() => this.#run(isNeeded), this.#backOff.next());
  }

  /** An offer is no longer awaited: a failure that was reported meanwhile counts now. */
  answered() {
    if (this.#hasFailed) this.restartSoon();
  }

  get #hasFailed() {
    return this.#peer.connectionState === "failed";
  }

  async #run(isNeeded) {
    this.#timer = null;
    if (!isNeeded() || this.#peer.isOffering) return;
    await this.#restart();
    if (this.#hasFailed) this.restartSoon();
  }

  #changed(state) {
    if (state === "connected") this.#connected();
    else if (state === "disconnected" || state === "failed") this.#doubted();
  }

  #connected() {
    this.#endChecks();
    this.#endTimer();
    this.#backOff.up(performance.now());
    this.#notify("up");
  }

  #doubted() {
    this.#backOff.down(performance.now());
    if (this.#hasFailed) this.restartSoon();
    if (this.#checks !== null) return;
    this.#life = new MediaLife();
    this.#checks = setInterval(() => this.#check(), checkInterval);
    this.#count();
  }

  async #check() {
    await this.#count();
    if (this.#checks !== null) this.#notify(this.#life.isAlive(performance.now()) ? "up" : "silent");
  }

  async #count() {
    const life = this.#life;
    life.note(await this.#peer.receivedBytes(), performance.now());
  }

  #endChecks() {
    clearInterval(this.#checks);
    this.#checks = null;
  }

  #endTimer() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #notify(name) {
    this.dispatchEvent(new Event(name));
  }
}
