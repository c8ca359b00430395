import { define, settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { notify } from "../../Sources/Hub/HubHTTP/web/dom.js";
import { messages } from "../../Sources/Hub/HubHTTP/web/messages.js";
import { SettingsView } from "../../Sources/Hub/HubHTTP/web/settings-view.js";
import { Clock } from "./support/clock.mjs";

function viewOf(t, { isBusy = false } = {}) {
  const clock = new Clock(t);
  const byID = makeDocument(t);
  const [kept, reloads] = [new Map(), []];
  define(t, "Option", class { constructor(text, value) { Object.assign(this, { text, value }); } });
  define(t, "localStorage", {
    getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key),
  });
  define(t, "location", { reload: () => reloads.push("reload") });
  const logins = [];
  const view = new SettingsView({ open: () => logins.push("open"), close: () => logins.push("close") }, () => isBusy);
  const choose = (tag) => {
    byID("language").value = tag;
    byID("language").dispatchEvent(new Event("change"));
  };
  return { clock, byID, view, logins, kept, reloads, choose };
}

test("a language is kept, and shows after a reload, which ends no call", async (t) => {
  const { byID, view, kept, reloads, choose } = viewOf(t);
  view.open("Mia");
  assert.equal(byID("language").value, "");
  choose("de");
  assert.deepEqual([[...kept.values()], reloads.length], [["de"], 1]);
  choose("");
  assert.deepEqual([[...kept.values()], reloads.length], [[], 2]);
  await settled();
  const busy = viewOf(t, { isBusy: true });
  busy.choose("de");
  assert.deepEqual([[...busy.kept.values()], busy.reloads.length], [["de"], 0]);
  assert.match(busy.byID("language-state").textContent, /not interrupted/);
});

test("logins are listed while the settings show", (t) => {
  const { byID, view, logins } = viewOf(t);
  view.open("Mia");
  assert.match(byID("settings-name").textContent, /Mia/);
  view.close();
  assert.deepEqual([logins, byID("settings").hidden], [["open", "close"], true]);
});

test("what the page has said stays on a list, the newest first, until another person logs in", (t) => {
  const { clock, byID } = viewOf(t);
  messages.clear();
  const texts = () => byID("messages").children.map(({ children }) => children[1]);
  assert.equal(byID("messages-none").hidden, false);
  for (let number = 1; number <= 25; number += 1) {
    clock.now = number;
    notify(`message ${number}`);
  }
  notify("");
  assert.equal(texts().length, 20);
  assert.deepEqual([texts()[0], messages.all[0].time, byID("messages-none").hidden], ["message 25", 25, true]);
  messages.clear();
  assert.deepEqual([texts(), byID("messages-none").hidden], [[], false]);
});
