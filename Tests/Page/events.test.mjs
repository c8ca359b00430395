import { define, settled } from "./support/environment.mjs";
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import test from "node:test";
import { EventStream } from "../../Sources/Hub/HubHTTP/web/events.js";
import { Clock } from "./support/clock.mjs";

const encoder = new TextEncoder();
const hello = (eventStreamID) => `id: 1\nevent: hello\ndata: {"eventStreamID":"${eventStreamID}"}\n\n`;

/** A stream whose text the test sends. */
function makeBody(signal) {
  let controller;
  const body = new ReadableStream({ start(given) { controller = given; } });
  const fail = () => controller.error(signal.reason);
  signal.addEventListener("abort", fail);
  return {
    response: { body }, send: (text) => controller.enqueue(encoder.encode(text)),
    end() {
      signal.removeEventListener("abort", fail);
      controller.close();
    },
  };
}

/** A hub and what is asked of it; `refuse` is what it throws instead of a stream. */
class FakeHub {
  token = "token";
  asked = [];
  bodies = [];
  polls = [];
  refuse = null;
  pollAnswer = () => hello("polled");

  async events(lastEventID, signal) {
    this.asked.push(lastEventID);
    if (this.refuse) throw this.refuse;
    this.bodies.push(makeBody(signal));
    return this.bodies.at(-1).response;
  }

  async pollEvents(eventStreamID, lastEventID) {
    this.polls.push(`${eventStreamID} ${lastEventID}`);
    return this.pollAnswer(eventStreamID);
  }
}

function started(t, refuse = null) {
  const clock = new Clock(t);
  t.mock.method(Math, "random", () => 1);
  const hub = Object.assign(new FakeHub(), { refuse });
  const stream = new EventStream(hub);
  const seen = [];
  for (const name of ["open", "lost", "hello", "presence"]) stream.addEventListener(name, () => seen.push(name));
  stream.start();
  return { clock, hub, stream, seen };
}

test("a stream is open with the hub's greeting, and resumed after the last event", async (t) => {
  const { clock, hub, stream, seen } = started(t);
  await clock.advance(0);
  assert.deepEqual(seen, []);
  hub.bodies[0].send(`${hello("one")}id: 7\nevent: presence\ndata: {}\n\nid: 8\nevent: presence\ndata: no JSON\n\n`);
  await clock.advance(0);
  assert.deepEqual([seen, stream.eventStreamID], [["open", "hello", "presence"], "one"]);
  hub.bodies[0].end();
  await clock.advance(500);
  assert.deepEqual([seen.at(-1), hub.asked], ["lost", ["", "8"]]);
  stream.stop();
  await clock.advance(60_000);
  assert.deepEqual([hub.asked.length, stream.eventStreamID, clock.timerCount], [2, null, 0]);
});

test("a stream that ends with its token is opened again at once, and nothing is lost", async (t) => {
  const { clock, hub, stream, seen } = started(t);
  await clock.advance(0);
  hub.bodies[0].send(hello("one"));
  await clock.advance(0);
  hub.token = "renewed";
  hub.bodies[0].end();
  await clock.advance(0);
  assert.deepEqual([hub.asked.length, seen.includes("lost")], [2, false]);
  stream.stop();
});

test("a hub that asks for a pause gets it, and one that refuses the token is asked no more", async (t) => {
  const refusal = (status, retryAfter) => Object.assign(new Error("no"), { status, retryAfter });
  const { clock, hub, stream } = started(t, refusal(503, 30));
  const pauses = [];
  stream.addEventListener("lost", ({ detail }) => pauses.push(detail.retryAfter));
  // A second more at most, by chance.
  await clock.advance(30_999);
  assert.deepEqual([hub.asked.length, pauses], [1, [30]]);
  hub.refuse = refusal(401);
  await clock.advance(120_000);
  assert.equal(hub.asked.length, 2);
});

test("a stream without a greeting is given up after 10 s, one that fell silent after 24 s", async (t) => {
  const { clock, hub, stream, seen } = started(t);
  await clock.advance(9_999);
  assert.deepEqual(seen, []);
  await clock.advance(1);
  assert.deepEqual(seen, ["lost"]);
  await clock.advance(500);
  hub.bodies[1].send(hello("two"));
  await clock.advance(20_000);
  hub.bodies[1].send(":\n");
  await clock.advance(23_999);
  assert.equal(seen.at(-1), "hello");
  await clock.advance(1);
  assert.equal(seen.at(-1), "lost");
  stream.stop();
});

test("where streams are held back events are polled, without a listener left behind by each pause", async (t) => {
  const made = [];
  define(t, "AbortController", class extends AbortController {
    constructor() {
      super();
      made.push(this);
    }
  });
  const { clock, hub, stream, seen } = started(t);
  hub.pollAnswer = (eventStreamID) => (eventStreamID ? "" : hello("polled"));
  await clock.advance(60_000);
  assert.ok(hub.polls.length > 5);
  assert.deepEqual([hub.polls[0], hub.polls.at(-1)], [" ", "polled 1"]);
  assert.equal(seen.at(-1), "open");
  const before = hub.polls.length;
  await clock.advance(60_000);
  // A second between polls that bring nothing.
  assert.ok(hub.polls.length - before <= 61);
  assert.ok(getEventListeners(made[0].signal, "abort").length <= 1);
  stream.stop();
  await settled();
  assert.equal(getEventListeners(made[0].signal, "abort").length, 0);
  assert.equal(clock.timerCount, 0);
});
