import assert from "node:assert/strict";
import test from "node:test";
import {
  changesOf, enrolmentCommand, groupsIn, groupsOf, matching, stateOf,
} from "../../Sources/Hub/HubHTTP/web/accounts.js";

const account = (title, more = {}) => ({
  id: `id-${title.toLowerCase()}`, title, kind: "person", role: "user", groups: ["default"], isDisabled: false,
  isOnline: false, ...more,
});
const accounts = [
  account("Anna", { isOnline: true }), account("Ben", { groups: ["a", "default"], isDisabled: true }),
  account("Front door", { kind: "device", role: "device", groups: ["a"], isOnline: true }),
];
const titles = (filter) => matching(accounts, filter).map(({ title }) => title);

test("lists are filtered by title, id, kind, group and state, all at once", () => {
  assert.deepEqual(titles({}), ["Anna", "Ben", "Front door"]);
  assert.deepEqual(titles({ search: " DOOR " }), ["Front door"]);
  assert.deepEqual(titles({ search: "id-b" }), ["Ben"]);
  assert.deepEqual(titles({ kind: "person", group: "default" }), ["Anna", "Ben"]);
  assert.deepEqual(titles({ state: "disabled" }), ["Ben"]);
  assert.deepEqual(titles({ state: "online", group: "a" }), ["Front door"]);
  assert.deepEqual(titles({ state: "offline" }), []);
});

test("accounts stand by title, numbers by their value", () => {
  const gates = ["Gate 10", "gate 2", "Gate 1"].map((title) => account(title));
  assert.deepEqual(matching(gates, {}).map(({ title }) => title), ["Gate 1", "gate 2", "Gate 10"]);
});

test("a disabled account is that, online or not", () => {
  assert.equal(stateOf({ isDisabled: true, isOnline: true }), "disabled");
});

test("groups are read with commas or spaces between them", () => {
  assert.deepEqual(groupsIn(" b, a b,,c "), ["a", "b", "c"]);
  assert.deepEqual(groupsIn("  "), []);
  assert.deepEqual(groupsOf(accounts), ["a", "default"]);
});

test("a form sends what it changes alone", () => {
  const [anna, ben] = accounts;
  const form = { title: "Anna", role: "user", groups: ["default"], isDisabled: false };
  assert.equal(changesOf(anna, form), null);
  assert.deepEqual(changesOf(anna, { ...form, title: "Anne", groups: ["a"] }), { title: "Anne", groups: ["a"] });
  assert.deepEqual(changesOf(ben, { title: "Ben", groups: ["default", "a"].sort(), isDisabled: false }),
    { isDisabled: false });
});

test("a key is no argument of the command that puts it in its place", () => {
  const lines = enrolmentCommand("lsk_x").split("\n");
  assert.ok(!lines[0].includes("lsk_x"));
  assert.deepEqual(lines.slice(1, 3), ["lsk_x", "KEY"]);
});
