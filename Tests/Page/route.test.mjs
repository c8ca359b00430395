import { define } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { addressOf, parseRoute, Router } from "../../Sources/Hub/HubHTTP/web/route.js";

const device = "5d0f2f4e-6c39-4c3c-8c43-5cbd1c2fb9d1";
const event = "20261124T195512Z-9f3c01ab";

test("addresses lead where they say, and routes make them again", () => {
  const routes = {
    "#/": { view: "wall" },
    "#/calls": { view: "calls" },
    "#/settings": { view: "settings" },
    "#/administration": { view: "administration" },
    [`#/calls/${device}`]: { view: "calls", id: device },
    [`#/devices/${device}`]: { view: "devices", id: device },
    [`#/devices/${device}/events`]: { view: "devices", id: device, part: "events" },
    [`#/devices/${device}/events/${event}`]: { view: "devices", id: device, part: "events", item: event },
    [`#/devices/${device}/events?filter=motion`]: { view: "devices", id: device, part: "events", filter: "motion" },
    [`#/devices/${device}/recordings/a.b?t=12.5`]: { view: "devices", id: device, part: "recordings", item: "a.b", at: 12.5 },
    [`#/devices/${device}/recordings/a?t=0&filter=garden+%26+gate`]:
      { view: "devices", id: device, part: "recordings", item: "a", at: 0, filter: "garden & gate" },
    "#/devices/a%20b%25%3F%23": { view: "devices", id: "a b%?#" },
    "#/?filter=garage": { view: "wall", filter: "garage" },
  };
  for (const [address, route] of Object.entries(routes)) {
    assert.deepEqual(parseRoute(address), route, address);
    assert.equal(addressOf(route), address);
  }
});

test("other spellings lead there as well", () => {
  assert.deepEqual(parseRoute(""), { view: "wall" });
  assert.deepEqual(parseRoute("#settings/"), { view: "settings" });
  assert.deepEqual(parseRoute(`#/devices/${device}/newer-part/1`), { view: "devices", id: device });
  assert.deepEqual(parseRoute(`#/devices/${device}/events/${event}?t=-1`).item, event);
});

test("an address from anybody means a way up nowhere", () => {
  const hostile = [
    "#/devices/..", "#/devices/%2e%2e/events", `#/devices/${device}/events/..`, "#/devices/a%2Fb", "#/devices/a%5Cb",
    "#/devices/%00", "#/devices/%E0%A4%A", "#/devices/%", `#/devices/${"x".repeat(129)}`, "#/devices", "#/__proto__",
    "#/constructor/a", "#/settings/../devices/a", "#/devices/a/events/b/c", "#/devices/a%0Ab", "#/devices/a\u202Eb",
    "#/javascript:alert(1)", "#//evil.example", "#/wall/a",
  ];
  for (const hash of hostile) assert.deepEqual(parseRoute(hash), { view: "wall" }, hash);
  const at = (t) => parseRoute(`#/devices/a/recordings/b?t=${t}`).at;
  assert.deepEqual(["-1", "1e9", "NaN", "", "0x10", "9".repeat(12), "Infinity", "1.23456"].map(at), Array(8).fill(undefined));
  assert.equal(at("999999999"), 366 * 86_400);
  assert.equal(parseRoute(`#/?filter=${"x".repeat(129)}`).filter, undefined);
  for (const odd of [null, undefined, 5, {}]) assert.equal(parseRoute(odd).view, "wall");
});

test("a router goes, goes back, and shows again what shows already", (t) => {
  const entries = [];
  define(t, "location", { hash: "#/settings" });
  const visit = (address) => { location.hash = address; };
  define(t, "history", {
    state: null,
    pushState: (state, title, address) => { entries.push(address); visit(address); },
    replaceState: (state, title, address) => { entries[entries.length - 1] = address; visit(address); },
  });
  const page = new EventTarget();
  define(t, "addEventListener", page.addEventListener.bind(page));
  const router = new Router();
  const shown = [];
  router.addEventListener("route", ({ detail }) => shown.push(detail.view));
  assert.deepEqual(router.current, { view: "settings" });
  router.go({ view: "calls" });
  router.go({ view: "calls" });
  router.go({ view: "wall" }, { isReplacing: true });
  visit("#/settings");
  page.dispatchEvent(new Event("hashchange"));
  assert.deepEqual([shown, entries], [["calls", "calls", "wall", "settings"], ["#/"]]);
  assert.deepEqual(router.current, { view: "settings" });
});
