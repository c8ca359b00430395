import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { PathWatch } from "../../Sources/Hub/HubHTTP/web/path-watch.js";
import { Clock } from "./support/clock.mjs";

/** A connection whose state the test sets, and which receives `flow` bytes from one reading to the next. */
const makePeer = () => Object.assign(new EventTarget(), {
  connectionState: "new", isOffering: false, bytes: 0, flow: 0,
  async receivedBytes() { return this.bytes += this.flow; },
  become(state) {
    this.connectionState = state;
    this.dispatchEvent(new CustomEvent("connection", { detail: state }));
  },
});

test("where every offer fails at once, as without a default route, tries wait longer and longer", async (t) => {
  const clock = new Clock(t);
  t.mock.method(Math, "random", () => 0.5);
  const peer = makePeer();
  const offers = [];
  const path = new PathWatch(peer, async () => {
    offers.push(clock.now);
    for (const state of ["connecting", "failed"]) peer.become(state);
  });
  peer.become("failed");
  await clock.advance(600);
  assert.deepEqual(offers, [0]);
  peer.isOffering = true;
  await clock.advance(1_400);
  assert.deepEqual(offers, [0]);
  peer.isOffering = false;
  path.answered();
  await clock.advance(7_000);
  assert.deepEqual(offers, [0, 4_000, 8_000]);
  path.close();
  await clock.advance(60_000);
  assert.deepEqual([offers.length, clock.timerCount], [3, 0]);
});

test("media that flows is a path, whatever the browser says; silence is none", async (t) => {
  const clock = new Clock(t);
  const peer = makePeer();
  const path = new PathWatch(peer, async () => {});
  const reported = [];
  for (const name of ["up", "silent"]) {
    path.addEventListener(name, () => { if (reported.at(-1) !== name) reported.push(name); });
  }
  peer.flow = 1;
  peer.become("connected");
  peer.become("disconnected");
  await clock.advance(3_000);
  assert.deepEqual(reported, ["up"]);
  peer.flow = 0;
  await clock.advance(3_000);
  assert.deepEqual(reported, ["up", "silent"]);
  peer.become("connected");
  assert.deepEqual(reported, ["up", "silent", "up"]);
  assert.equal(clock.timerCount, 0);
  path.close();
});
