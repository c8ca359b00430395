// What a call's statistics say of its quality, both ways.

/** Readings of one call, one after the other: rates and losses are those between two of them. */
export class QualityMeter {
  #before = new Map();

  /**
   * What an RTCStatsReport says. `roundTrip` and jitters are in seconds, rates in bits a second, losses are parts of one;
   * what is not known is null.
   */
  read(report) {
    const entries = [...report.values()];
    const reading = {
      ...path(report, entries),
      received: this.#direction(report, entries, "inbound-rtp"),
      sent: this.#direction(report, entries, "outbound-rtp"),
    };
    this.#before = new Map(entries.map((entry) => [entry.id, entry]));
    return reading;
  }

  #direction(report, entries, type) {
    const streams = entries.filter((entry) => entry.type === type && (entry.bytesSent ?? entry.bytesReceived) > 0);
    const [audio, video] = ["audio", "video"].map((kind) => streams.filter((stream) => stream.kind === kind));
    // What is sent is measured by the other side, in its RTCP reports.
    const reported = type === "inbound-rtp" ? streams : streams.map(({ remoteId }) => report.get(remoteId)).filter(Boolean);
    return {
      audio: this.#medium(report, audio),
      video: this.#medium(report, video),
      loss: largest(reported.map((stream) => stream.fractionLost ?? this.#loss(stream))),
      jitter: largest(reported.map(({ jitter }) => jitter ?? null)),
    };
  }

  /** One kind of media: its streams together, and the frame size of the largest. */
  #medium(report, streams) {
    if (streams.length === 0) return null;
    const [main] = [...streams].sort((one, other) => (other.frameWidth ?? 0) - (one.frameWidth ?? 0));
    const rates = streams.map((stream) => this.#rate(stream)).filter((rate) => rate !== null);
    return {
      bitRate: rates.length ? rates.reduce((sum, rate) => sum + rate, 0) : null,
      codec: report.get(main.codecId)?.mimeType?.split("/")[1] ?? null,
      width: main.frameWidth ?? null, height: main.frameHeight ?? null, frameRate: main.framesPerSecond ?? null,
    };
  }

  #rate(stream) {
    const before = this.#before.get(stream.id);
    const bytes = (entry) => entry.bytesSent ?? entry.bytesReceived;
    const time = before ? stream.timestamp - before.timestamp : 0;
    return time > 0 ? Math.max(0, bytes(stream) - bytes(before)) * 8_000 / time : null;
  }

  #loss(stream) {
    const before = this.#before.get(stream.id);
    if (!before) return null;
    // Packets that come late, or twice, take their loss back.
    const lost = Math.max(0, stream.packetsLost - before.packetsLost);
    const all = lost + Math.max(0, stream.packetsReceived - before.packetsReceived);
    return all > 0 ? lost / all : null;
  }
}

/** The way that packets take: `host`, `srflx`, `prflx` or `relay` of either end, the one that is farther. */
function path(report, entries) {
  const transport = entries.find(({ type, selectedCandidatePairId }) => type === "transport" && selectedCandidatePairId);
  const pair = report.get(transport?.selectedCandidatePairId)
    // Firefox has no such entry.
    ?? entries.find(({ type, selected }) => type === "candidate-pair" && selected);
  if (!pair) return { roundTrip: null, way: null, protocol: null };
  const ends = [report.get(pair.localCandidateId), report.get(pair.remoteCandidateId)].filter(Boolean);
  const relay = ends.find(({ candidateType }) => candidateType === "relay");
  return {
    roundTrip: pair.currentRoundTripTime ?? null,
    way: relay ? "relay" : ends.every(({ candidateType }) => candidateType === "host") ? "host" : "reflexive",
    protocol: relay?.relayProtocol ?? ends[0]?.protocol ?? null,
  };
}

function largest(values) {
  const known = values.filter((value) => value !== null);
  return known.length ? Math.max(...known) : null;
}
