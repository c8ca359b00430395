// Put into a page before its own scripts run: keeps its connections, samples their statistics, rewrites its offers.

(() => {
  const Native = window.RTCPeerConnection;
  const connections = [];
  const samples = [];
  /**
   * A test's changes: `offer` rewrites the SDP that leaves, `answer` the one that comes, own candidates come
   * `candidateDelay` ms later, one who `isDeaf` hears of none of the other side's, and `configuration` is an
   * RTCConfiguration whose members take the place of the page's.
   */
  const changes = { offer: (sdp) => sdp, answer: (sdp) => sdp, candidateDelay: 0, isDeaf: false, configuration: {} };
  window.interopHooks = { connections, samples, changes };

  window.RTCPeerConnection = class extends Native {
    constructor(configuration, ...rest) {
      super({ ...configuration, ...changes.configuration }, ...rest);
      connections.push(this);
    }

    setConfiguration(configuration) {
      super.setConfiguration({ ...configuration, ...changes.configuration });
    }

    get localDescription() {
      const description = super.localDescription;
      if (description?.type !== "offer") return description;
      return { type: "offer", sdp: changes.offer(description.sdp) };
    }

    setRemoteDescription({ type, sdp }) {
      return super.setRemoteDescription({ type, sdp: type === "answer" ? changes.answer(sdp) : sdp });
    }

    addIceCandidate(candidate) {
      return changes.isDeaf ? Promise.resolve() : super.addIceCandidate(candidate);
    }

    addEventListener(name, listener, ...rest) {
      if (name !== "icecandidate" || !changes.candidateDelay) return super.addEventListener(name, listener, ...rest);
      return super.addEventListener(name, (event) => setTimeout(listener, changes.candidateDelay, event), ...rest);
    }
  };

  const kept = {
    "inbound-rtp": ["framesDecoded", "framesDropped", "freezeCount", "totalFreezesDuration", "concealedSamples",
      "totalSamplesReceived", "packetsReceived", "packetsLost", "bytesReceived", "keyFramesDecoded", "nackCount",
      "pliCount", "jitterBufferDelay", "jitterBufferEmittedCount"],
    "outbound-rtp": ["framesEncoded", "framesSent", "bytesSent", "packetsSent", "retransmittedPacketsSent", "nackCount",
      "pliCount", "targetBitrate", "qualityLimitationReason"],
  };

  async function sample() {
    const connection = connections.at(-1);
    if (!connection || connection.signalingState === "closed") return;
    const told = { at: performance.now() };
    for (const report of (await connection.getStats()).values()) {
      const names = kept[report.type];
      if (names) told[`${report.type}/${report.kind}`] = Object.fromEntries(names.map((name) => [name, report[name]]));
      if (report.type === "transport") Object.assign(told, { dtls: report.dtlsRole, srtp: report.srtpCipher });
    }
    samples.push(told);
  }

  setInterval(() => sample().catch(() => {}), 200);
})();
