// A connection that describes itself at once and connects to nothing.

import { define } from "./environment.mjs";

class FakeConnection extends EventTarget {
  connectionState = "new";
  signalingState = "stable";
  iceGatheringState = "complete";
  localDescription = null;
  remoteDescription = null;

  async createOffer() {
    return { type: "offer", sdp: "offer" };
  }

  async createAnswer() {
    return { type: "answer", sdp: "answer" };
  }

  async setLocalDescription(description) {
    if (description.type !== "rollback") this.localDescription = description;
    this.signalingState = description.type === "offer" ? "have-local-offer" : "stable";
  }

  async setRemoteDescription(description) {
    this.remoteDescription = description;
    this.signalingState = description.type === "offer" ? "have-remote-offer" : "stable";
  }

  async addIceCandidate() {}

  async getStats() {
    return new Map();
  }

  addTransceiver() {}

  getTransceivers() {
    return [];
  }

  getConfiguration() {
    return {};
  }

  setConfiguration() {}

  close() {
    this.connectionState = this.signalingState = "closed";
  }
}

/** For the duration of a test; returns the connections that were made. */
export function fakeWebRTC(t) {
  const made = [];
  define(t, "MediaStream", class {
    addTrack() {}
    getTracks() { return []; }
  });
  define(t, "RTCPeerConnection", class extends FakeConnection {
    constructor() {
      super();
      made.push(this);
    }
  });
  return made;
}
