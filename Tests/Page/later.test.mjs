import { deferred, settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { later } from "../../Sources/Hub/HubHTTP/web/later.js";
import { messages } from "../../Sources/Hub/HubHTTP/web/messages.js";
import { Clock } from "./support/clock.mjs";

function viewOf() {
  const log = [];
  const loads = [];
  const view = later(() => {
    loads.push(deferred());
    return loads.at(-1).promise;
  });
  return { log, loads, view, made: { open: (...details) => log.push(["open", ...details]), close: () => log.push(["close"]) } };
}

test("a view is loaded once, when it is opened first", async () => {
  const { log, loads, view, made } = viewOf();
  view.close();
  view.open("device");
  loads[0].resolve(made);
  await settled();
  view.close();
  view.open();
  await settled();
  assert.deepEqual([loads.length, log], [1, [["open", "device"], ["close"], ["open"]]]);
});

test("one that is opened again while it is loaded is made once", async () => {
  const { log, loads, view, made } = viewOf();
  view.open("door");
  view.open("gate");
  loads[0].resolve(made);
  await settled();
  assert.deepEqual([loads.length, log], [1, [["open", "door"], ["open", "gate"]]]);
});

test("one that was closed before it came does not show", async () => {
  const { log, loads, view, made } = viewOf();
  view.open();
  view.close();
  loads[0].resolve(made);
  await settled();
  assert.deepEqual(log, []);
});

test("one that does not come is said to, and tried again", async (t) => {
  new Clock(t);
  makeDocument(t);
  const { log, loads, view, made } = viewOf();
  view.open();
  loads[0].reject(new TypeError("no network"));
  await settled();
  assert.match(messages.all[0].text, /no network/);
  view.open();
  loads[1].resolve(made);
  await settled();
  assert.deepEqual(log, [["open"]]);
});
