// One call from its first click to its end, as caller or as receiver.

import { closeCapture, openCapture } from "./capture.js";
import { Peer } from "./peer.js";
import { sessionEvents } from "./session-events.js";
import { newSessionID } from "./session-id.js";

/** Media must flow this long after the answer. */
const connectLimit = 15_000;
/** After this long without a connection the caller tries again, through the relays that the hub named. */
const relayDelay = 4_000;
/** How long an interrupted connection may take to come back, ICE restart included. */
const recoveryLimit = 15_000;
/** The hub's word about an end tells more than the connection's; it has this long. */
const farewellDelay = 1_000;
/** The hub ends an unanswered call after 60 s; this is for when its word does not arrive. */
const answerLimit = 70_000;

/**
 * States: `preparing`, `calling`, `ringing` (the caller's), `offered` (the receiver's), `connecting`, `connected`,
 * `reconnecting`, `ended`.
 *
 * Dispatches `state`, `media` (the local or remote stream changed), `signal`, `archive` and `result`.
 */
export class Call extends EventTarget {
  state = "preparing";
  /** The local camera and microphone, or null. */
  localStream = null;
  /** Why the local stream lacks something, or null. */
  captureFailure = null;
  isRecording = false;
  /** How it ended: `{kind: "rejected" | "ended" | "failed", reason?, error?}`. */
  outcome = null;
  #hub;
  #peer = null;
  #offer;
  #iceServers;
  #timer = null;
  #earlyCandidates = [];

  /** `party` is `{userID, userTitle}`; `wanted` what the call carries, `sent` what this side gives. */
  constructor(hub, { id, isCaller, party, wanted, sent, offer = null, iceServers = [] }) {
    super();
    Object.assign(this, { id, isCaller, party, wanted, sent });
    this.#hub = hub;
    this.#offer = offer;
    this.#iceServers = iceServers;
    if (!isCaller) this.state = "offered";
  }

  static outgoing(hub, party, { wanted, sent }) {
    return new Call(hub, { id: newSessionID(), isCaller: true, party, wanted, sent });
  }

  static incoming(hub, event) {
    const wanted = { audio: event.isAudio, video: event.isVideo };
    return new Call(hub, {
      id: event.sessionID, isCaller: false, wanted, sent: wanted, offer: event.offer, iceServers: event.iceServers,
      party: { userID: event.callerID, userTitle: event.callerTitle },
    });
  }

  get isOver() {
    return this.state === "ended";
  }

  /** Whether `userID` is being called and has not answered. */
  awaits(userID) {
    return this.isCaller && this.party.userID === userID && ["preparing", "calling", "ringing"].includes(this.state);
  }

  get remoteStream() {
    return this.#peer?.remoteStream ?? null;
  }

  /** The caller's way: camera, offer, request. */
  place() {
    return this.#guard(async () => {
      if (!(await this.#capture())) return;
      this.#makePeer([]);
      this.#peer.addMedia(this.wanted, this.localStream);
      const offer = await this.#peer.offer();
      if (this.isOver) return;
      this.#enter("calling");
      this.#limit(answerLimit, { kind: "ended", reason: "unanswered" });
      const { audio: isAudio, video: isVideo } = this.wanted;
      const grant = await this.#hub.startSession(this.id, { receiverID: this.party.userID, isAudio, isVideo, offer });
      if (this.isOver) return;
      this.#peer.iceServers = this.#iceServers = grant.iceServers ?? [];
      this.#peer.startTrickling();
    });
  }

  /** The receiver's way: it rings here. */
  announceRinging() {
    return this.#hub.tellSession(this.id, "ringing").catch(() => {});
  }

  accept(sent) {
    this.sent = sent;
    this.#enter("connecting");
    return this.#guard(async () => {
      if (!(await this.#capture())) return;
      this.#makePeer(this.#iceServers);
      await this.#peer.addCandidates(this.#earlyCandidates);
      const sdp = await this.#peer.answer(this.#offer, this.localStream);
      if (this.isOver) return;
      await this.#hub.tellSession(this.id, "answer", { sdp });
      this.#peer.startTrickling();
      this.#expectConnection();
    });
  }

  reject(reason) {
    this.#hub.tellSession(this.id, "reject", { reason }).catch(() => {});
    this.#finish({ kind: "ended", reason: "hangup", isOwn: true });
  }

  /** `isLeaving`: the page goes away, the request must outlive it. */
  hangUp({ isLeaving = false } = {}) {
    if (this.isOver) return;
    this.#tellEnd("hangup", isLeaving);
    this.#finish({ kind: "ended", reason: "hangup", isOwn: true });
  }

  /** Ends a call to somebody whose own call to this person goes on instead. */
  giveWay() {
    this.#tellEnd("glare");
    this.#finish({ kind: "ended", reason: "glare" });
  }

  say(text) {
    return this.#hub.tellSession(this.id, "signal", { type: "chat", data: text });
  }

  control(action, target) {
    return this.#hub.tellSession(this.id, "control", target ? { action, target } : { action });
  }

  /** Whether own sound (`audio`) or picture (`video`) is sent. */
  setSending(kind, isOn) {
    for (const track of this.localStream?.getTracks() ?? []) if (track.kind === kind) track.enabled = isOn;
  }

  /** One event of the hub about this session. */
  handle(name, detail) {
    if (this.isOver) return;
    return this.#guard(() => sessionEvents[name]?.(this, detail));
  }

  // What `sessionEvents` calls.

  heardRinging() {
    if (this.state === "calling") this.#enter("ringing");
  }

  async heardAnswer(sdp) {
    if (this.state === "calling" || this.state === "ringing") {
      this.#enter("connecting");
      this.#expectConnection();
    }
    await this.#peer?.accept(sdp);
  }

  /** Of two offers that cross the caller's goes on: the receiver takes back its own and answers. */
  async heardOffer(sdp) {
    if (!this.#peer || (this.isCaller && this.#peer.isOffering)) return;
    const answer = await this.#peer.answer(sdp, this.localStream);
    await this.#hub.tellSession(this.id, "answer", { sdp: answer });
  }

  async heardCandidates(candidates) {
    if (this.#peer) await this.#peer.addCandidates(candidates);
    else this.#earlyCandidates.push(...candidates);
  }

  heardEnd(kind, reason) {
    this.#finish({ kind, reason });
  }

  heardArchive(isRunning) {
    this.isRecording = isRunning;
    this.#tell("archive");
  }

  async #capture() {
    const { stream, failure } = await openCapture(this.sent);
    if (this.isOver) {
      closeCapture(stream);
      return false;
    }
    this.localStream = stream;
    this.captureFailure = failure;
    this.#tell("media");
    return true;
  }

  #makePeer(iceServers) {
    const peer = new Peer(iceServers);
    peer.addEventListener("candidates", ({ detail: candidates }) => {
      this.#hub.tellSession(this.id, "candidates", { candidates }).catch(() => {});
    });
    peer.addEventListener("connection", ({ detail }) => this.#connectionChanged(detail));
    peer.addEventListener("track", () => this.#tell("media"));
    peer.addEventListener("farewell", () => this.#limit(farewellDelay, { kind: "ended", reason: "hangup" }));
    this.#peer = peer;
  }

  #connectionChanged(connectionState) {
    if (this.isOver) return;
    if (connectionState === "connected") {
      this.#limit(null);
      this.#enter("connected");
    } else if (connectionState === "disconnected" || connectionState === "failed") {
      this.#interrupted(connectionState === "failed");
    }
  }

  #interrupted(hasFailed) {
    if (this.state === "connected") {
      this.#enter("reconnecting");
      this.#limit(recoveryLimit, { kind: "ended", reason: "connection-lost" });
    }
    if (hasFailed) this.#restart();
  }

  /** ICE anew, this time also through the relays that the hub named; if that fails the time limit ends the call. */
  async #restart() {
    try {
      this.#peer.iceServers = this.#iceServers;
      const sdp = await this.#peer.offer({ iceRestart: true });
      if (sdp && !this.isOver) await this.#hub.tellSession(this.id, "offer", { sdp });
    } catch (error) {
      console.warn("ICE restart:", error);
    }
  }

  #expectConnection() {
    if (this.#peer.connectionState === "connected") return;
    this.#limit(connectLimit, { kind: "failed", reason: "no-media" });
    if (this.isCaller && this.#iceServers.length) setTimeout(() => this.#tryRelays(), relayDelay);
  }

  #tryRelays() {
    if (this.state === "connecting") this.#restart();
  }

  /** Ends the call with `outcome` unless something better happens in time; null lifts the limit. */
  #limit(milliseconds, outcome) {
    clearTimeout(this.#timer);
    if (milliseconds === null || this.isOver) return;
    this.#timer = setTimeout(() => {
      this.#tellEnd(outcome.kind === "ended" ? outcome.reason : "connection-lost");
      this.#finish(outcome);
    }, milliseconds);
  }

  /** Runs a step of the call; an error ends the call and becomes its outcome. */
  async #guard(step) {
    try {
      await step();
    } catch (error) {
      if (this.isOver) return;
      if (error.status !== 404) this.#tellEnd("error");
      this.#finish({ kind: "failed", error });
    }
  }

  #tellEnd(reason, keepalive = false) {
    if (this.state === "preparing") return;
    this.#hub.endSession(this.id, reason, { keepalive }).catch(() => {});
  }

  #finish(outcome) {
    if (this.isOver) return;
    clearTimeout(this.#timer);
    this.outcome = outcome;
    this.isRecording = false;
    this.#peer?.close();
    closeCapture(this.localStream);
    this.localStream = null;
    this.#enter("ended");
  }

  #enter(state) {
    if (this.state === state) return;
    this.state = state;
    this.#tell("state");
  }

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
