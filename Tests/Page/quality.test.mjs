import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { QualityMeter } from "../../Sources/Hub/HubHTTP/web/quality.js";
import { qualityRows } from "../../Sources/Hub/HubHTTP/web/view-texts.js";

const mapOf = (entries) => new Map(entries.map((entry) => [entry.id, entry]));

/** An RTCStatsReport at `time`, with `count` times the media, by way of a candidate type. */
const report = (time, count, way) => mapOf([
  { id: "T", type: "transport", selectedCandidatePairId: "P" },
  { id: "P", type: "candidate-pair", currentRoundTripTime: 0.0234, localCandidateId: "L", remoteCandidateId: "R" },
  { id: "L", type: "local-candidate", candidateType: way, protocol: "udp",
    relayProtocol: way === "relay" ? "tls" : undefined },
  { id: "R", type: "remote-candidate", candidateType: "host", protocol: "udp" },
  { id: "V", type: "codec", mimeType: "video/VP8" }, { id: "O", type: "codec", mimeType: "audio/opus" },
  { id: "IV", type: "inbound-rtp", kind: "video", codecId: "V", timestamp: time, bytesReceived: 100_000 * count,
    packetsReceived: 90 * count, packetsLost: 10 * count, jitter: 0.004,
    frameWidth: 640, frameHeight: 480, framesPerSecond: 29.6 },
  { id: "IA", type: "inbound-rtp", kind: "audio", codecId: "O", timestamp: time, bytesReceived: 4_000 * count,
    packetsReceived: 50 * count, packetsLost: 0, jitter: 0.002 },
  { id: "OA", type: "outbound-rtp", kind: "audio", codecId: "O", timestamp: time, bytesSent: 5_000 * count,
    remoteId: "RA" },
  { id: "RA", type: "remote-inbound-rtp", kind: "audio", fractionLost: 0.025, jitter: 0.011 },
]);

test("the first reading has no rates yet, the second those since then", () => {
  const meter = new QualityMeter();
  assert.deepEqual(qualityRows(meter.read(report(1_000, 1, "host"))), [
    ["Path", "direct, UDP"], ["Round trip", "23 ms"], ["Video", "640×480, VP8", "–"], ["Frame rate", "30/s", "–"],
    ["Video bit rate", "–", "–"], ["Audio", "Opus", "Opus"], ["Audio bit rate", "–", "–"],
    ["Lost packets", "–", "2.5%"], ["Jitter", "4 ms", "11 ms"],
  ]);
  assert.deepEqual(qualityRows(meter.read(report(2_000, 2, "relay"))), [
    ["Path", "through a relay, TLS"], ["Round trip", "23 ms"], ["Video", "640×480, VP8", "–"],
    ["Frame rate", "30/s", "–"], ["Video bit rate", "800 kbit/s", "–"], ["Audio", "Opus", "Opus"],
    ["Audio bit rate", "32 kbit/s", "40 kbit/s"], ["Lost packets", "10.0%", "2.5%"], ["Jitter", "4 ms", "11 ms"],
  ]);
});

test("counts that go back are neither rates nor losses", () => {
  const meter = new QualityMeter();
  meter.read(report(1_000, 5, "host"));
  const { received } = meter.read(report(2_000, 3, "host"));
  assert.deepEqual([received.video.bitRate, received.loss], [0, null]);
});

test("an empty report has nothing to show, nor has none", () => {
  const empty = new QualityMeter().read(new Map());
  assert.deepEqual(qualityRows(empty), qualityRows(null));
  assert.ok(qualityRows(empty).every(([, ...values]) => values.every((value) => value === "–")));
});

test("where no transport names the pair, the selected one counts", () => {
  const entries = [...report(1_000, 1, "srflx").values()].filter(({ type }) => type !== "transport")
    .map((entry) => (entry.id === "P" ? { ...entry, selected: true } : entry));
  assert.equal(new QualityMeter().read(mapOf(entries)).way, "reflexive");
});
