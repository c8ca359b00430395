import { settled } from "./support/environment.mjs";
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import test from "node:test";
import { Peer } from "../../Sources/Hub/HubHTTP/web/peer.js";
import { Clock } from "./support/clock.mjs";
import { fakeWebRTC } from "./support/web-rtc.mjs";

function peerOf(t) {
  const clock = new Clock(t);
  const connections = fakeWebRTC(t);
  const peer = new Peer();
  const [connection] = connections;
  connection.iceGatheringState = "gathering";
  const gather = (state) => {
    connection.iceGatheringState = state;
    connection.dispatchEvent(new Event("icegatheringstatechange"));
  };
  return { clock, connection, gather, peer };
}

const candidateEvent = (candidate) =>
  Object.assign(new Event("icecandidate"), { candidate: candidate && { candidate, sdpMid: "0", sdpMLineIndex: 0 } });

test("an offer waits for its candidates, half a second at most, and leaves no listener behind", async (t) => {
  const { clock, connection, gather, peer } = peerOf(t);
  const done = [];
  peer.offer().then((sdp) => done.push(sdp));
  await clock.advance(499);
  assert.deepEqual(done, []);
  await clock.advance(1);
  assert.deepEqual(done, ["offer"]);
  peer.offer({ iceRestart: true }).then((sdp) => done.push(sdp));
  await settled();
  gather("gathering");
  assert.equal(done.length, 1);
  gather("complete");
  await settled();
  assert.deepEqual([done.length, clock.timerCount], [2, 0]);
  assert.equal(getEventListeners(connection, "icegatheringstatechange").length, 0);
});

test("candidates are sent in bursts once the other side knows the session, without those described", async (t) => {
  const { clock, connection, peer } = peerOf(t);
  const sent = [];
  peer.addEventListener("candidates", ({ detail }) => sent.push(detail.map(({ candidate }) => candidate)));
  const offering = peer.offer();
  await settled();
  connection.dispatchEvent(candidateEvent("described"));
  await clock.advance(500);
  await offering;
  connection.dispatchEvent(candidateEvent("early"));
  await clock.advance(100);
  assert.deepEqual(sent, []);
  peer.startTrickling();
  for (const candidate of ["late", null, "later"]) connection.dispatchEvent(candidateEvent(candidate));
  await clock.advance(100);
  assert.deepEqual(sent, [["early", "late", "later"]]);
});

test("candidates of the other side wait for its description, and one that cannot be used ends nothing", async (t) => {
  const { connection, gather, peer } = peerOf(t);
  gather("complete");
  const added = [];
  connection.addIceCandidate = async (candidate) => {
    added.push(candidate);
    throw new Error("unknown family");
  };
  await peer.addCandidates(["first"]);
  assert.deepEqual(added, []);
  assert.equal(await peer.answer("offer"), "answer");
  await peer.addCandidates(["second"]);
  assert.deepEqual(added, ["first", "second"]);
});
