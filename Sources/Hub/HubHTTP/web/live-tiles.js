// Cameras that are seen live on the wall: each by a call that carries video alone, and little of it.

import { notify } from "./dom.js";
import { errorText, stateText, texts } from "./texts.js";

/** One more ends the oldest. */
const atOnce = 4;
/** What such a call asks for, in bits a second: enough for a small picture. */
const bandwidth = 400_000;
const mainCamera = "device";

/** Dispatches `change` (detail: the key) when a camera is seen live, is connected, or is no longer seen. */
export class LiveTiles extends EventTarget {
  #calls;
  /** By key, the oldest first. */
  #tiles = new Map();
  /** The keys of those that wait for what calls need. */
  #awaited = new Set();

  /** `calls` are the page's {@link Calls}. */
  constructor(calls) {
    super();
    this.#calls = calls;
  }

  /** `{stream, isConnected}`; undefined for what is not seen live. */
  get(key) {
    return this.#tiles.get(key);
  }

  async start(key, camera) {
    if (this.#awaited.has(key)) return;
    this.#awaited.add(key);
    try {
      await this.#calls.prepare();
      if (this.#awaited.has(key)) this.#open(key, camera);
    } catch (error) {
      notify(errorText(error));
    } finally {
      this.#awaited.delete(key);
    }
  }

  #open(key, { user, camera, isMain }) {
    if (this.#tiles.has(key)) return;
    if (this.#tiles.size >= atOnce) this.end(this.#tiles.keys().next().value);
    const call = this.#calls.watch(user, {
      wanted: { audio: false, video: true, bandwidth }, sent: { audio: false, video: false },
    });
    this.#put(key, { call, stream: null, isConnected: false });
    const update = () => { if (this.#tiles.get(key)?.call === call) this.#update(key, call); };
    call.addEventListener("state", () => {
      if (call.state === "connected" && !isMain && camera !== mainCamera) chooseCamera(call, camera);
      update();
    });
    call.addEventListener("media", update);
    update();
  }

  end(key) {
    this.#awaited.delete(key);
    this.#tiles.get(key)?.call.hangUp();
  }

  endAll() {
    for (const key of [...this.#awaited, ...this.#tiles.keys()]) this.end(key);
  }

  #update(key, call) {
    if (!call.isOver) {
      this.#put(key, { call, stream: call.remoteStream, isConnected: ["connected", "reconnecting"].includes(call.state) });
      return;
    }
    this.#tiles.delete(key);
    if (!call.outcome.isOwn) notify(stateText(call));
    this.#changed(key);
  }

  #put(key, tile) {
    this.#tiles.set(key, tile);
    this.#changed(key);
  }

  #changed(key) {
    this.dispatchEvent(new CustomEvent("change", { detail: key }));
  }
}

/** A device that refuses shows its main camera, under another's name: such a tile is not live. */
function chooseCamera(call, camera) {
  const refuse = () => {
    notify(texts.wall.refusedCamera);
    call.hangUp();
  };
  call.addEventListener("result", ({ detail }) => {
    if (detail.action === "choose-camera" && !detail.isDone) refuse();
  });
  call.control("choose-camera", camera).catch(refuse);
}
