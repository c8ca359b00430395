import assert from "node:assert/strict";
import test from "node:test";
import { eventKinds } from "../../Sources/Hub/HubHTTP/web/event-kinds.js";
import { WorkerHarness } from "./support/worker.mjs";

const deviceID = "0b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11";
const eventID = "20261124T195512Z-9f3c01ab";
const event = {
  kind: "device.event", deviceID, deviceTitle: "Front yard", eventID, eventKind: "motion", label: "Motion", source: "gate",
  rule: "at night", time: 1_795_550_112_000, imageTicket: "ticket.mark",
};
const image = () => new Response(new Uint8Array([0xff, 0xd8, 1]), { headers: { "Content-Type": "image/jpeg" } });

test("an event is shown at once, and with its image once the device has sent it", async () => {
  const worker = new WorkerHarness();
  worker.answers = [new Response(null, { status: 404 }), image()];
  await worker.push(event);
  assert.equal(worker.shown.length, 1);
  const [{ title, options }] = worker.shown;
  assert.equal(title, "Motion · Front yard");
  assert.match(options.body, /^gate, \d\d:\d\d/);
  assert.equal(options.image, "data:image/jpeg;base64,/9gB");
  assert.equal(options.silent, true);
  const url = `https://hub.example.org/door/v1/event-images/${deviceID}/${eventID}`;
  assert.deepEqual(worker.requests, [{ url, ticket: "ticket.mark" }, { url, ticket: "ticket.mark" }]);
});

test("without a ticket, a network or an image it stays as it is", async () => {
  const worker = new WorkerHarness();
  await worker.push({ ...event, imageTicket: undefined });
  assert.equal(worker.requests.length, 0);
  await worker.push(event);
  assert.equal(worker.requests.length, 3);
  worker.answers = [new Response("<html>", { headers: { "Content-Type": "text/html" } })];
  await worker.push(event);
  assert.equal(worker.shown.length, 1);
  assert.equal(worker.shown[0].options.image, undefined);
  assert.equal(worker.shown[0].options.renotify, true);
});

test("a later event of the rule takes the place of an earlier one", async () => {
  const worker = new WorkerHarness();
  await worker.push({ ...event, imageTicket: null });
  await worker.push({ ...event, imageTicket: null, eventKind: "dark", detail: "12 %" });
  await worker.push({ ...event, imageTicket: null, rule: "other" });
  assert.deepEqual(worker.shown.map(({ title }) => title), ["Dark · Front yard", "Motion · Front yard"]);
  assert.match(worker.shown[0].options.body, /^gate, 12 %, /);
});

test("the image of an event that is no longer shown brings nothing back", async () => {
  const worker = new WorkerHarness();
  worker.answers = [image()];
  const shown = worker.push(event);
  await new Promise((resolve) => { setTimeout(resolve, 0); });
  worker.shown = [];
  await shown;
  assert.deepEqual(worker.shown, []);
});

test("a click opens the event, in the page that there is", async () => {
  const worker = new WorkerHarness();
  await worker.push({ ...event, imageTicket: null });
  await worker.click(worker.shown[0]);
  assert.deepEqual(worker.opened, [`./#/devices/${deviceID}/events/${eventID}`]);
  worker.page();
  await worker.click(worker.shown[0]);
  assert.deepEqual(worker.posted, [{ kind: "event.wanted", deviceID, eventID }]);
  assert.equal(worker.opened.length, 1);
});

test("a device is quiet for a day once a person has asked for it", async () => {
  const worker = new WorkerHarness();
  await worker.push({ ...event, imageTicket: null });
  assert.equal(worker.shown[0].options.actions[0].title, "Mute for a day");
  await worker.click(worker.shown[0], "mute");
  assert.deepEqual(worker.opened, []);
  await worker.push({ ...event, rule: "other" });
  assert.equal(worker.requests.length, 0);
  assert.equal(worker.shown.at(-1).options.silent, true);
  await worker.push({ ...event, imageTicket: null, deviceID: "another" });
  assert.equal(worker.shown.at(-1).options.silent, undefined);
});

test("what is no event is shown as something new, and its ids lead nowhere", async () => {
  for (const odd of [{ deviceID: "../../evil" }, { eventID: "x" }, { time: "now" }, { deviceID: undefined }]) {
    const worker = new WorkerHarness();
    await worker.push({ ...event, ...odd });
    assert.deepEqual(worker.shown.map(({ title }) => title), ["LiveSessions"]);
    assert.equal(worker.requests.length, 0);
  }
});

test("kinds and names that are not known have a text, and long ones an end", async () => {
  const worker = new WorkerHarness();
  await worker.push({ ...event, imageTicket: null, eventKind: "toString", label: "Leak", deviceTitle: "" });
  assert.equal(worker.shown[0].title, "Leak · a device");
  await worker.push({ ...event, imageTicket: null, language: "de-AT", deviceTitle: "x".repeat(500) });
  assert.equal(worker.shown[0].title, `Bewegung · ${"x".repeat(128)}`);
});

test("each kind of event has a name in each language", () => {
  const worker = new WorkerHarness();
  for (const language of ["en", "de"]) {
    const kinds = worker.evaluate(`Object.keys(textsIn("${language}").kinds)`);
    assert.deepEqual([...kinds], Object.keys(eventKinds));
  }
  for (const [kind, { label }] of Object.entries(eventKinds)) {
    assert.equal(worker.evaluate(`textsIn("en").kinds["${kind}"]`), label);
  }
});

test("calls ring as before", async () => {
  const worker = new WorkerHarness();
  const call = { kind: "call.incoming", sessionID: deviceID, callerTitle: "Gate", isVideo: true, expiresAt: Date.now() + 9_000 };
  await worker.push(call);
  assert.equal(worker.shown[0].title, "Gate is calling you.");
  await worker.click(worker.shown[0], "decline");
  assert.deepEqual(worker.opened, [`./#/calls/${deviceID}?decline`]);
});
