// The media of one call: its connection, and the offers and answers that keep it.

import { PathWatch } from "./path-watch.js";
import { Peer } from "./peer.js";

/** How the hub refuses what crossed with something of the other side, or of another page of the same person. */
export function isOvertaken(error) {
  return error.status === 409;
}

/**
 * Dispatches `up` and `silent` as {@link PathWatch} does, `track` when the remote stream has changed, and `farewell`
 * when the other side closes the connection properly.
 */
export class CallMedia extends EventTarget {
  #hub;
  #id;
  #isCaller;
  #iceServers;
  #peer = null;
  #path = null;
  #earlyCandidates = [];
  #isClosed = false;

  constructor(hub, { id, isCaller, iceServers }) {
    super();
    this.#hub = hub;
    this.#id = id;
    this.#isCaller = isCaller;
    this.#iceServers = iceServers;
  }

  get remoteStream() {
    return this.#peer?.remoteStream ?? null;
  }

  /** Whether video of the other side is here. */
  get hasVideo() {
    return (this.remoteStream?.getTracks() ?? []).some(({ kind, muted }) => kind === "video" && !muted);
  }

  get isConnected() {
    return this.#peer?.connectionState === "connected";
  }

  /** The connection's RTCStatsReport; null before there is a connection. */
  async statistics() {
    return (await this.#peer?.statistics()) ?? null;
  }

  /** The caller's first offer. */
  offer(wanted, stream) {
    this.#open([]);
    this.#peer.addMedia(wanted, stream);
    return this.#peer.offer();
  }

  /** The hub's relays, for when the direct way fails. */
  set iceServers(iceServers) {
    this.#peer.iceServers = this.#iceServers = iceServers;
  }

  /** The receiver's answer to the first offer. */
  async answer(offer, stream) {
    this.#open(this.#iceServers);
    await this.#peer.addCandidates(this.#earlyCandidates);
    return this.#peer.answer(offer, stream);
  }

  /** From now on candidates may be sent: the other side knows the session. */
  startTrickling() {
    this.#peer.startTrickling();
  }

  async accept(sdp) {
    await this.#peer?.accept(sdp);
    this.#path?.answered();
  }

  /** Of two offers that cross the caller's stands: the receiver takes back its own and answers. */
  async answerAgain({ sdp, offerNumber }, stream) {
    const answer = await this.#peer?.answer(sdp, stream, { isYielding: !this.#isCaller });
    if (!answer) return;
    try {
      await this.#hub.tellSession(this.#id, "answer", { sdp: answer, offerNumber });
    } catch (error) {
      // The other side has made a newer offer by now, which is answered next.
      if (!isOvertaken(error)) throw error;
    }
  }

  async addCandidates(candidates) {
    if (this.#peer) await this.#peer.addCandidates(candidates);
    else this.#earlyCandidates.push(...candidates);
  }

  /** Restarts ICE, with relays, if the hub has named any: it may have done so only after the answer came. */
  tryRelays(isNeeded) {
    if (this.#iceServers.length && isNeeded()) this.#path.restartSoon(isNeeded);
  }

  close() {
    this.#isClosed = true;
    this.#path?.close();
    this.#peer?.close();
  }

  #open(iceServers) {
    const peer = (this.#peer = new Peer(iceServers));
    peer.addEventListener("candidates", ({ detail: candidates }) => {
      if (!this.#isClosed) this.#hub.tellSession(this.#id, "candidates", { candidates }).catch(() => {});
    });
    this.#path = new PathWatch(peer, () => this.#restart());
    this.#passOn(peer, "track", "farewell");
    this.#passOn(this.#path, "up", "silent");
  }

  #passOn(source, ...names) {
    for (const name of names) {
      source.addEventListener(name, () => { if (!this.#isClosed) this.dispatchEvent(new Event(name)); });
    }
  }

  /** An ICE restart, this time also through the relays that the hub named. */
  async #restart() {
    try {
      this.#peer.iceServers = this.#iceServers;
      const sdp = await this.#peer.offer({ iceRestart: true });
      if (!this.#isClosed) await this.#hub.tellSession(this.#id, "offer", { sdp });
    } catch (error) {
      if (this.#isClosed) return;
      if (!isOvertaken(error)) console.warn("ICE restart:", error);
      await this.#peer.withdrawOffer().catch(() => {});
    }
  }
}
