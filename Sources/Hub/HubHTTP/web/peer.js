// One RTCPeerConnection: transceivers, candidates both ways, renegotiation, ICE restart.

import { withVideoBandwidth } from "./bandwidth.js";
import { receivedBytes } from "./media-life.js";
import { Turns } from "./turns.js";

/** How long an offer or answer waits for candidates; later ones trickle. */
const gatheringLimit = 500;

/**
 * Dispatches `connection` (detail: the RTCPeerConnection's connectionState), `track` when one comes and when its first
 * packets are here, `farewell` when the other side
 * closes the connection properly, and `candidates` (detail: a list) once {@link startTrickling} was called.
 */
export class Peer extends EventTarget {
  /** Everything that the other side sends. */
  remoteStream = new MediaStream();
  #connection;
  /** Offers and answers that cross in the midst of their steps would find another state than they have checked. */
  #turns = new Turns();
  #described = 0;
  #local = [];
  #remote = [];
  #isTrickling = false;
  #isFlushing = false;
  #watched = new Set();
  /** Of the video that this side wants to receive, in bits a second; null for no limit. */
  #bandwidth = null;

  constructor(iceServers = []) {
    super();
    this.#connection = new RTCPeerConnection({ iceServers, bundlePolicy: "max-bundle" });
    this.#connection.addEventListener("icecandidate", ({ candidate }) => this.#gathered(candidate));
    this.#connection.addEventListener("connectionstatechange", () => {
      this.dispatchEvent(new CustomEvent("connection", { detail: this.#connection.connectionState }));
    });
    this.#connection.addEventListener("track", ({ track, receiver }) => {
      this.remoteStream.addTrack(track);
      this.#watchClosing(receiver.transport);
      const tell = () => this.dispatchEvent(new CustomEvent("track", { detail: track }));
      track.addEventListener("unmute", tell);
      tell();
    });
  }

  get connectionState() {
    return this.#connection.connectionState;
  }

  /** Whether an offer of this side waits for its answer. */
  get isOffering() {
    return this.#connection.signalingState === "have-local-offer";
  }

  set iceServers(iceServers) {
    this.#connection.setConfiguration({ ...this.#connection.getConfiguration(), iceServers });
  }

  /** A caller's media: each wanted kind is sent when `stream` has it, and received in any case, video with that `bandwidth`. */
  addMedia({ audio, video, bandwidth = null }, stream) {
    this.#bandwidth = bandwidth;
    for (const [kind, isWanted] of [["audio", audio], ["video", video]]) {
      if (!isWanted) continue;
      const track = tracks(stream, kind)[0];
      if (track) this.#connection.addTransceiver(track, { direction: "sendrecv", streams: [stream] });
      else this.#connection.addTransceiver(kind, { direction: "recvonly" });
    }
  }

  offer({ iceRestart = false } = {}) {
    return this.#turns.take(async () => {
      await this.#describe(await this.#connection.createOffer({ iceRestart }));
      return withVideoBandwidth(this.#connection.localDescription.sdp, this.#bandwidth);
    });
  }

  /**
   * Answers an offer, the first one or a later one, sending the tracks of `stream` that it can take. An offer of this
   * side that waits for its answer is taken back, or, unless it `isYielding`, stands: then there is no answer, null.
   */
  answer(sdp, stream = null, { isYielding = true } = {}) {
    return this.#turns.take(async () => {
      if (!isYielding && this.isOffering) return null;
      await this.#connection.setRemoteDescription({ type: "offer", sdp });
      for (const transceiver of this.#connection.getTransceivers()) {
        await attach(transceiver, tracks(stream, transceiver.receiver.track.kind)[0], stream);
      }
      await this.#addHeldBack();
      await this.#describe(await this.#connection.createAnswer());
      return this.#connection.localDescription.sdp;
    });
  }

  /** An answer to an offer that was taken back meanwhile is none. */
  accept(sdp) {
    return this.#turns.take(async () => {
      if (!this.isOffering) return;
      await this.#connection.setRemoteDescription({ type: "answer", sdp });
      await this.#addHeldBack();
    });
  }

  /** Takes back the offer that waits for its answer, if any. */
  withdrawOffer() {
    return this.#turns.take(async () => {
      if (this.isOffering) await this.#connection.setLocalDescription({ type: "rollback" });
    });
  }

  /** The connection's RTCStatsReport. */
  statistics() {
    return this.#connection.getStats();
  }

  /** The bytes of media that came so far. */
  async receivedBytes() {
    return receivedBytes((await this.statistics()).values());
  }

  /** Takes candidates of the other side, also before its description is here. */
  async addCandidates(candidates) {
    this.#remote.push(...candidates);
    if (this.#connection.remoteDescription) await this.#addHeldBack();
  }

  /** From now on candidates may be sent: the other side knows the session. */
  startTrickling() {
    this.#isTrickling = true;
    this.#flush();
  }

  close() {
    this.#connection.close();
    for (const track of this.remoteStream.getTracks()) this.remoteStream.removeTrack(track);
  }

  /** A DTLS close is no failure, so the connection's own state does not show it. */
  #watchClosing(transport) {
    if (!transport || this.#watched.has(transport)) return;
    this.#watched.add(transport);
    transport.addEventListener("statechange", () => {
      if (transport.state === "closed" && this.#connection.signalingState !== "closed") {
        this.dispatchEvent(new CustomEvent("farewell"));
      }
    });
  }

  async #describe(description) {
    await this.#connection.setLocalDescription(description);
    await this.#gatheredOrLate();
    // What the description already names need not trickle.
    this.#local = [];
    this.#described += 1;
  }

  #gatheredOrLate() {
    if (this.#connection.iceGatheringState === "complete") return Promise.resolve();
    const over = new AbortController();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, gatheringLimit);
      this.#connection.addEventListener("icegatheringstatechange", () => {
        if (this.#connection.iceGatheringState !== "complete") return;
        clearTimeout(timer);
        resolve();
      }, { signal: over.signal });
    }).finally(() => over.abort());
  }

  #gathered(candidate) {
    if (!candidate) return;
    const { sdpMid, sdpMLineIndex } = candidate;
    this.#local.push({ candidate: candidate.candidate, sdpMid, sdpMLineIndex });
    this.#flush();
  }

  /** Candidates come in bursts: a burst travels as one request. */
  #flush() {
    if (!this.#isTrickling || this.#isFlushing || !this.#described) return;
    this.#isFlushing = true;
    setTimeout(() => {
      this.#isFlushing = false;
      const detail = this.#local.splice(0);
      if (detail.length) this.dispatchEvent(new CustomEvent("candidates", { detail }));
    }, 20);
  }

  async #addHeldBack() {
    for (const candidate of this.#remote.splice(0)) {
      // A candidate that this browser cannot use (a name, a family) must not end the call.
      await this.#connection.addIceCandidate(candidate).catch(() => {});
    }
  }
}

function tracks(stream, kind) {
  return (stream?.getTracks() ?? []).filter((track) => track.kind === kind);
}

async function attach(transceiver, track, stream) {
  if (transceiver.stopped || transceiver.sender.track) return;
  if (!track) return;
  transceiver.direction = "sendrecv";
  transceiver.sender.setStreams(stream);
  await transceiver.sender.replaceTrack(track);
}
