// One call from its first click to its end, as caller or as receiver.

import { CallMedia, isOvertaken } from "./call-media.js";
import { closeCapture, openCapture } from "./capture.js";
import { sessionEvents } from "./session-events.js";
import { newSessionID } from "./session-id.js";

/** Media must flow this long after the answer. */
const connectLimit = 15_000;
/** After this long without a connection the caller tries again, through the relays that the hub named. */
const relayDelay = 4_000;
/** How long an interrupted connection may bring nothing, ICE restarts included. */
const recoveryLimit = 15_000;
/** How long to wait for the hub's reason for an end, which says more than the connection's. */
const farewellDelay = 1_000;
/** The hub ends an unanswered call after 60 s; this is for when that does not arrive. */
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
  /** The id of the first recording of this call; null while there is none. */
  recordingID = null;
  /** When media first came through, in milliseconds since 1970; null: not yet. */
  connectedAt = null;
  /** When it ended, likewise. */
  endedAt = null;
  /** How it ended: `{kind: "rejected" | "ended" | "missed" | "failed", reason?, error?}`. */
  outcome = null;
  /** Fulfilled when the hub knows, or cannot learn, that an incoming call rings here. */
  announced = Promise.resolve();
  /** What the device said last that it can do, for those who begin to show it; null before that. */
  offeredActions = null;
  /** The {@link Preview} by which a person has seen the device before answering it, or null. */
  preview = null;
  /** Whether the device has not refused to swap its camera, as it does when it has but one. */
  canSwap = true;
  /** Whether the hub knows that this page takes part: another page of the same person may have answered instead. */
  #isJoined = false;
  /** Why this page has ended the call, as it has reported that to the hub; null when it has not. */
  #ownEnd = null;
  #hub;
  #media;
  #offer;
  #timer = null;

  /** `party` is `{userID, userTitle, kind}`; `wanted` what the call carries, `sent` what this side gives. */
  constructor(hub, { id, isCaller, party, wanted, sent, offer = null, iceServers = [] }) {
    super();
    Object.assign(this, { id, isCaller, party, wanted, sent, iceServers });
    this.#hub = hub;
    this.#offer = offer;
    this.#media = this.#makeMedia(iceServers);
    if (!isCaller) this.state = "offered";
  }

  static outgoing(hub, party, { wanted, sent }) {
    return new Call(hub, { id: newSessionID(), isCaller: true, party, wanted, sent });
  }

  static incoming(hub, event) {
    const wanted = { audio: event.isAudio, video: event.isVideo };
    return new Call(hub, {
      id: event.sessionID, isCaller: false, wanted, sent: wanted, offer: event.offer, iceServers: event.iceServers,
      party: {
        userID: event.callerID, userTitle: event.callerTitle, kind: event.callerRole === "device" ? "device" : "person",
      },
    });
  }

  get isOver() {
    return this.state === "ended";
  }

  get isWithDevice() {
    return this.party.kind === "device";
  }

  /** Whether `userID` is being called and has not answered. */
  awaits(userID) {
    return this.isCaller && this.party.userID === userID && ["preparing", "calling", "ringing"].includes(this.state);
  }

  get remoteStream() {
    return this.#media.remoteStream;
  }

  /** What is shown of the other side: the preview until the call's own video is here. */
  get shownStream() {
    return (this.#media.hasVideo ? null : this.preview?.stream) ?? this.remoteStream;
  }

  /** What the browser measures: an RTCStatsReport, or null. */
  statistics() {
    return this.#media.statistics();
  }

  /** The caller's way: camera, offer, request. */
  place() {
    return this.#guard(async () => {
      if (!(await this.#capture())) return;
      const offer = await this.#media.offer(this.wanted, this.localStream);
      if (this.isOver) return;
      this.#enter("calling");
      this.#limit(answerLimit, { kind: "ended", reason: "unanswered" });
      this.#isJoined = true;
      const { audio: isAudio, video: isVideo } = this.wanted;
      const grant = await this.#hub.startSession(this.id, { receiverID: this.party.userID, isAudio, isVideo, offer });
      if (this.isOver) return this.#repeatEnd();
      this.#media.iceServers = grant.iceServers ?? [];
      this.#media.startTrickling();
    });
  }

  /** The receiver's way: it rings here. */
  announceRinging() {
    this.#limit(answerLimit, { kind: "missed", reason: "unanswered" });
    return (this.announced = this.#hub.tellSession(this.id, "ringing").catch(() => {}));
  }

  accept(sent) {
    this.sent = sent;
    this.#limit(null);
    this.#enter("connecting");
    return this.#guard(async () => {
      if (!(await this.#capture())) return;
      const sdp = await this.#media.answer(this.#offer, this.localStream);
      if (this.isOver || !(await this.#join(sdp))) return;
      this.#media.startTrickling();
      this.#expectConnection();
    });
  }

  reject(reason) {
    this.#sendRejection(reason);
    this.#finish({ kind: "ended", reason: "hangup", isOwn: true });
  }

  /** `isLeaving`: the page goes away, the request must outlive it. */
  hangUp({ isLeaving = false } = {}) {
    if (this.isOver) return;
    if (this.#isJoined) this.#sendEnd("hangup", isLeaving);
    else if (this.state === "connecting") this.#sendRejection("declined");
    this.#finish({ kind: "ended", reason: "hangup", isOwn: true });
  }

  /** Ends a call to a person whose own call to this one continues instead. */
  giveWay() {
    if (this.#isJoined) this.#sendEnd("glare");
    this.#finish({ kind: "ended", reason: "glare" });
  }

  say(text) {
    return this.#hub.tellSession(this.id, "signal", { type: "chat", data: text });
  }

  /** Asks the device for one of its actions, such as opening a door; a signal brings the result. */
  requestAction(name, pin) {
    return this.sendSignal("action", { name, pin });
  }

  /** Sends the other side something that the hub passes on. */
  sendSignal(type, content) {
    return this.#hub.tellSession(this.id, "signal", { type, data: JSON.stringify(content) });
  }

  control(action, target) {
    return this.#hub.tellSession(this.id, "control", target ? { action, target } : { action });
  }

  /** Whether own audio or video is sent. */
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
    if (this.state === "offered") return this.#finish({ kind: "missed", reason: "answered-elsewhere" });
    if (this.state === "calling" || this.state === "ringing") {
      this.#enter("connecting");
      this.#expectConnection();
    }
    if (sdp) await this.#media.accept(sdp);
  }

  /** Some client of this person has answered or turned the call away; where it was this page, that is no news. */
  heardTaken(outcome) {
    if (this.state !== "offered") return;
    this.#finish({ kind: "missed", reason: outcome === "rejected" ? "declined" : "answered-elsewhere" });
  }

  heardSignal(detail) {
    if (detail.type === "actions") this.offeredActions = detail.data;
    this.#notify("signal", detail);
  }

  heardOffer(sdp, offerNumber) {
    return this.#media.answerAgain({ sdp, offerNumber }, this.localStream);
  }

  heardCandidates(candidates) {
    return this.#media.addCandidates(candidates);
  }

  heardEnd(kind, reason) {
    this.#finish({ kind: this.state === "offered" ? "missed" : kind, reason });
  }

  heardResult(detail) {
    if (detail.action === "swap-camera" && detail.reason === "not-possible") {
      this.canSwap = false;
      this.#notify("state");
    }
    this.#notify("result", detail);
  }

  heardArchive(isRunning, archiveID = null) {
    this.isRecording = isRunning;
    this.recordingID ??= archiveID;
    this.#notify("archive");
  }

  async #capture() {
    const { stream, failure } = await openCapture(this.sent);
    if (this.isOver) {
      closeCapture(stream);
      return false;
    }
    this.localStream = stream;
    this.captureFailure = failure;
    this.#notify("media");
    return true;
  }

  #makeMedia(iceServers) {
    const media = new CallMedia(this.#hub, { id: this.id, isCaller: this.isCaller, iceServers });
    media.addEventListener("track", () => {
      if (media.hasVideo) this.preview?.close();
      this.#notify("media");
    });
    media.addEventListener("farewell", () => this.#limit(farewellDelay, { kind: "ended", reason: "hangup" }));
    media.addEventListener("up", () => this.#connected());
    media.addEventListener("silent", () => this.#interrupted());
    return media;
  }

  #connected() {
    if (this.isOver || this.state === "connected") return;
    this.#limit(null);
    this.connectedAt ??= Date.now();
    this.#enter("connected");
  }

  #interrupted() {
    if (this.state !== "connected") return;
    this.#enter("reconnecting");
    this.#limit(recoveryLimit, { kind: "ended", reason: "connection-lost" });
  }

  #expectConnection() {
    if (this.#media.isConnected) return;
    this.#limit(connectLimit, { kind: "failed", reason: "no-media" });
    if (this.isCaller) setTimeout(() => this.#media.tryRelays(() => this.state === "connecting"), relayDelay);
  }

  /** Ends the call with `outcome` unless something better happens in time; null lifts the limit. */
  #limit(milliseconds, outcome) {
    clearTimeout(this.#timer);
    if (milliseconds === null || this.isOver) return;
    this.#timer = setTimeout(() => {
      if (this.#isJoined) this.#sendEnd(outcome.kind === "ended" ? outcome.reason : "connection-lost");
      else this.#sendRejection("unanswered");
      this.#finish(outcome);
    }, milliseconds);
  }

  /** Runs a step of the call; an error ends the call and becomes its outcome. */
  async #guard(step) {
    try {
      await step();
    } catch (error) {
      if (this.isOver) return;
      if (!this.#isJoined) this.#sendRejection("not-acceptable");
      else if (error.status !== 404) this.#sendEnd("error");
      this.#finish({ kind: "failed", error });
    }
  }

  /** Answers the first offer; false when another page of this person was faster, whose call it is then. */
  async #join(sdp) {
    try {
      await this.#hub.tellSession(this.id, "answer", { sdp, offerNumber: 0 });
      return (this.#isJoined = true);
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      this.#finish({ kind: "missed", reason: "answered-elsewhere" });
      return false;
    }
  }

  /** Only of an unanswered call: the hub takes it of no other. */
  #sendRejection(reason) {
    if (!this.isCaller) this.#hub.tellSession(this.id, "reject", { reason }).catch(() => {});
  }

  #sendEnd(reason, keepalive = false) {
    this.#ownEnd = reason;
    this.#hub.endSession(this.id, reason, { keepalive }).catch(() => {});
  }

  /** Where the end has overtaken the request to begin, the hub knew no such call, and rings now. */
  #repeatEnd() {
    if (this.#ownEnd) this.#sendEnd(this.#ownEnd);
  }

  #finish(outcome) {
    if (this.isOver) return;
    clearTimeout(this.#timer);
    this.outcome = outcome;
    this.isRecording = false;
    this.endedAt = Date.now();
    this.#media.close();
    closeCapture(this.localStream);
    this.localStream = null;
    this.#enter("ended");
  }

  #enter(state) {
    if (this.state === state) return;
    this.state = state;
    this.#notify("state");
  }

  #notify(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
