import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { arranged, stateOf } from "../../Sources/Hub/HubHTTP/web/device-order.js";
import { initials } from "../../Sources/Hub/HubHTTP/web/titles.js";

const user = (userTitle, more = {}) => ({ userID: userTitle, userTitle, kind: "device", status: "available", ...more });
const text = (users, options) => arranged(users, options).map(({ group, users: members }) =>
  `${group}: ${members.map(({ userTitle }) => userTitle).join(" ")}`).join("; ");

test("devices stand before people, by name, numbers by their size", () => {
  const users = [user("Pump 10"), user("Mia", { kind: "person" }), user("pump 2"), user("Äcker"), user("Zoo")];
  assert.equal(text(users), "devices: Äcker pump 2 Pump 10 Zoo; people: Mia");
});

test("sorted by distance, those without one come last", () => {
  const users = [user("A"), user("B", { distance: 200 }), user("C", { distance: 3 })];
  assert.equal(text(users, { sorting: "distance" }), "devices: C B A");
});

test("sorted by state, what is offline comes first, and what is not known last", () => {
  const users = [user("Ok"), user("Off", { status: "offline" }), user("Mia", { kind: "person", status: "busy" }),
    user("Odd", { status: "constructor" })];
  assert.equal(text(users, { sorting: "state" }), "offline: Off; available: Ok; busy: Mia; unknown: Odd");
  assert.equal(stateOf(users[3]), "unknown");
});

test("sorted by group, each stands in the first of its own, and who has none last", () => {
  const users = [user("A", { groups: ["north", "all"] }), user("B", { groups: ["all"] }), user("C", { groups: [] }), user("D")];
  assert.equal(text(users, { sorting: "group" }), "all: B; north: A; : C D");
  assert.equal(text(users, { sorting: "toString" }), "devices: A B C D");
});

test("a search finds all its words, without capitals and accents", () => {
  const users = [user("Große Äcker, Nord"), user("Äcker Süd"), user("Nordtor")];
  assert.equal(text(users, { search: " nord acker " }), "devices: Große Äcker, Nord");
  assert.equal(text(users, { search: "x" }), "");
});

test("initials are of the first and the last word", () => {
  assert.deepEqual(["Front door", "gate", "Warehouse A – high shelf", "  ", "🚪", "Loading-dock 2", "élan vital"].map(initials),
    ["FD", "G", "WS", "?", "?", "L2", "ÉV"]);
});
