import { settled } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { ProblemError } from "../../Sources/Hub/HubHTTP/web/api.js";
import { CallMedia } from "../../Sources/Hub/HubHTTP/web/call-media.js";
import { Clock } from "./support/clock.mjs";
import { fakeWebRTC } from "./support/web-rtc.mjs";

const wanted = { audio: true, video: false };

/** The media of one call after its first offer, as caller or as receiver; `told` is what the hub is told. */
async function mediaOf(t, { isCaller = true, refuse = () => null } = {}) {
  const clock = new Clock(t);
  t.mock.method(Math, "random", () => 0.5);
  const connections = fakeWebRTC(t);
  const told = [];
  const hub = {
    async tellSession(id, verb) {
      told.push(verb);
      const error = refuse(verb);
      if (error) throw error;
    },
  };
  const media = new CallMedia(hub, { id: "1", isCaller, iceServers: [] });
  if (isCaller) {
    await media.offer(wanted, null);
    await media.accept("answer");
  } else {
    await media.answer("offer", null);
  }
  const [connection] = connections;
  const become = (state) => {
    connection.connectionState = state;
    connection.dispatchEvent(new Event("connectionstatechange"));
  };
  return { clock, connection, become, media, told };
}

test("a failed path is restarted through the relays that the hub named later", async (t) => {
  const { clock, connection, become, media, told } = await mediaOf(t);
  const configured = [];
  connection.setConfiguration = ({ iceServers }) => configured.push(iceServers);
  media.iceServers = ["relay"];
  become("failed");
  await clock.advance(100);
  assert.deepEqual([told, configured.at(-1), connection.signalingState], [["offer"], ["relay"], "have-local-offer"]);
  await media.accept("answer");
  assert.equal(connection.signalingState, "stable");
  media.close();
});

test("relays are tried only where there are some, and are needed still", async (t) => {
  const { clock, media, told } = await mediaOf(t);
  media.tryRelays(() => true);
  await clock.advance(1_000);
  assert.deepEqual(told, []);
  media.iceServers = ["relay"];
  media.tryRelays(() => false);
  await clock.advance(1_000);
  assert.deepEqual(told, []);
  media.tryRelays(() => true);
  await clock.advance(1_000);
  assert.deepEqual(told, ["offer"]);
});

test("an offer that the hub does not take is withdrawn, and tried again later", async (t) => {
  let isAway = true;
  t.mock.method(console, "warn", () => {});
  const refuse = () => (isAway ? new Error("away") : null);
  const { clock, connection, become, media, told } = await mediaOf(t, { refuse });
  become("failed");
  await clock.advance(100);
  assert.deepEqual([told.length, connection.signalingState], [1, "stable"]);
  isAway = false;
  await clock.advance(1_000);
  assert.deepEqual([told.length, connection.signalingState], [2, "have-local-offer"]);
  media.close();
  await clock.advance(60_000);
  assert.deepEqual([told.length, clock.timerCount], [2, 0]);
});

test("of two offers that cross the caller's stands, and the receiver answers", async (t) => {
  for (const [isCaller, answers] of [[true, []], [false, ["answer"]]]) {
    const { clock, become, media, told } = await mediaOf(t, { isCaller });
    become("failed");
    await clock.advance(100);
    assert.deepEqual(told.splice(0), ["offer"]);
    await media.answerAgain({ sdp: "offer", offerNumber: 1 }, null);
    assert.deepEqual(told, answers);
  }
});

test("an answer that a newer offer has overtaken is no failure, any other refusal is", async (t) => {
  const refusal = (status) => () => new ProblemError({ type: "x", status });
  const late = await mediaOf(t, { isCaller: false, refuse: refusal(409) });
  await late.media.answerAgain({ sdp: "offer", offerNumber: 1 }, null);
  const failed = await mediaOf(t, { isCaller: false, refuse: refusal(500) });
  await assert.rejects(failed.media.answerAgain({ sdp: "offer", offerNumber: 1 }, null), { status: 500 });
});

test("before there is a connection candidates wait, and after the end nothing is reported", async (t) => {
  new Clock(t);
  const [connections, reported] = [fakeWebRTC(t), []];
  const media = new CallMedia({ async tellSession() {} }, { id: "1", isCaller: false, iceServers: [] });
  for (const name of ["up", "silent", "farewell", "track"]) media.addEventListener(name, () => reported.push(name));
  assert.deepEqual([media.remoteStream, media.isConnected, await media.statistics()], [null, false, null]);
  await media.addCandidates(["early"]);
  await media.accept("answer");
  await media.answerAgain({ sdp: "offer", offerNumber: 1 }, null);
  const added = [];
  const answering = media.answer("offer", null);
  connections[0].addIceCandidate = async (candidate) => { added.push(candidate); };
  await answering;
  assert.deepEqual(added, ["early"]);
  media.close();
  connections[0].connectionState = "connected";
  connections[0].dispatchEvent(new Event("connectionstatechange"));
  await settled();
  assert.deepEqual(reported, []);
});
