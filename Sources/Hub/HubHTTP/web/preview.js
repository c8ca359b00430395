// What a device that calls sees, shown before anybody answers (docs/internals/signalling.md).

import { Peer } from "./peer.js";
import { newSessionID } from "./session-id.js";

/** From the request until media flow; the device has the same limit. */
const setUpLimit = 15_000;
/** The most that a preview's last frame stays after it. */
const farewellDelay = 1_000;

/**
 * Asks the device of a call that rings here for its video, on a connection of its own: the call itself is answered as if
 * there were none. Devices that show no preview do not answer, or say so.
 *
 * Dispatches `stream` when there is something to show or nothing any more.
 */
export class Preview extends EventTarget {
  #id = newSessionID();
  #call;
  #peer = null;
  #timer;
  #over = new AbortController();

  constructor(call) {
    super();
    this.#call = call;
    const { signal } = this.#over;
    call.addEventListener("signal", ({ detail }) => this.#take(detail), { signal });
    call.addEventListener("state", () => { if (call.isOver) this.close(); }, { signal });
  }

  /** What the device sends; null while that is nothing. */
  stream = null;

  /** Once the hub knows that it rings here, and someone looks: a page in the background shows no one anything. */
  async begin() {
    await this.#call.announced;
    await this.#visible();
    if (this.#isOver) return;
    this.#timer = setTimeout(() => this.close(), setUpLimit);
    this.#send("begin").catch(() => this.close());
  }

  /** Ends it at the device as well, unless that has ended it. */
  close({ isAtDevice = true } = {}) {
    if (this.#isOver) return;
    this.#over.abort();
    clearTimeout(this.#timer);
    if (isAtDevice && this.#peer && !this.#call.isOver) this.#send("end").catch(() => {});
    this.#peer?.close();
    this.#show(null);
  }

  get #isOver() {
    return this.#over.signal.aborted;
  }

  #visible() {
    if (document.visibilityState !== "hidden") return Promise.resolve();
    return new Promise((resolve) => {
      document.addEventListener("visibilitychange", resolve, { once: true, signal: this.#over.signal });
    });
  }

  #take({ type, data }) {
    if (!type.startsWith("preview.")) return;
    const content = parse(data);
    if (content?.id !== this.#id) return;
    if (type === "preview.offer" && !this.#peer && typeof content.sdp === "string") this.#answer(content.sdp);
    else if (type === "preview.candidates" && Array.isArray(content.candidates)) {
      this.#peer?.addCandidates(content.candidates);
    } else if (type === "preview.end") this.#ended();
  }

  async #answer(offer) {
    const peer = (this.#peer = new Peer(this.#call.iceServers));
    const { signal } = this.#over;
    peer.addEventListener("track", ({ detail }) => this.#watch(detail), { signal });
    peer.addEventListener("farewell", () => this.#ended(), { signal });
    peer.addEventListener("connection", ({ detail }) => { if (detail === "failed") this.close(); }, { signal });
    peer.addEventListener("candidates", ({ detail: candidates }) => {
      this.#send("candidates", { candidates }).catch(() => {});
    }, { signal });
    try {
      const sdp = await peer.answer(offer);
      if (this.#isOver) return;
      await this.#send("answer", { sdp });
      peer.startTrickling();
    } catch {
      // Without a preview it rings as it does for a device that shows none.
      this.close();
    }
  }

  /** A track is muted until its first packets are here. */
  #watch({ kind, muted }) {
    if (kind !== "video" || muted) return;
    clearTimeout(this.#timer);
    this.#show(this.#peer.remoteStream);
  }

  /** What is on the screen of an answered call stays until the call's own video takes its place. */
  #ended() {
    if (this.#call.state === "offered") this.close({ isAtDevice: false });
    else setTimeout(() => this.close({ isAtDevice: false }), farewellDelay);
  }

  #show(stream) {
    if (this.stream === stream) return;
    this.stream = stream;
    this.dispatchEvent(new Event("stream"));
  }

  #send(verb, content = {}) {
    return this.#call.sendSignal(`preview.${verb}`, { id: this.#id, ...content });
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
