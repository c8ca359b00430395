import { deferred, settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { AdministrationView } from "../../Sources/Hub/HubHTTP/web/administration-view.js";

const account = (title, more = {}) => ({
  id: title, title, kind: "device", role: "device", groups: ["default"], isDisabled: false, isOnline: false, ...more,
});

function viewOf(t) {
  const byID = makeDocument(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.confirm = () => true;
  t.after(() => { delete globalThis.confirm; });
  const [lists, sent] = [[], []];
  const view = new AdministrationView({
    accounts() {
      lists.push(deferred());
      return lists.at(-1).promise;
    },
    async activeCalls() { return { items: [] }; },
    async renewEnrolmentKey(id) {
      sent.push(["key", id]);
      return { account: account(id), enrolmentKey: "lsk_secret" };
    },
    async removeAccount(id) {
      sent.push(["remove", id]);
      throw Object.assign(new Error("gone"), { status: 404 });
    },
    async createAccount(body) {
      sent.push(["create", body]);
      return { account: account(body.title), code: "ABCD-EFGH-JKMN-PQRS" };
    },
  });
  const entry = (index) => byID("account-list").children[index];
  const press = (index, action) => entry(index).querySelector(`[data-action="${action}"]`).click();
  return { byID, view, lists, sent, entry, press };
}

test("accounts are listed, and a list that comes after the view was closed is not shown", async (t) => {
  const { byID, view, lists, entry } = viewOf(t);
  view.open();
  lists[0].resolve({ count: 2, items: [account("Door"), account("Gate", { isOnline: true })] });
  await settled();
  assert.equal(entry(0).querySelector(".title").textContent, "Door");
  assert.equal(entry(1).dataset.state, "online");
  view.close();
  view.open();
  view.close();
  lists[1].resolve({ count: 1, items: [account("Late")] });
  await settled();
  assert.deepEqual(byID("account-list").children, []);
});

test("a list of many accounts is asked for again less often", async (t) => {
  const { view, lists } = viewOf(t);
  view.open();
  const many = Array.from({ length: 1_001 }, (_, number) => account(`Door ${number}`));
  lists[0].resolve({ count: many.length, items: many });
  await settled();
  t.mock.timers.tick(60_000);
  assert.equal(lists.length, 1);
  t.mock.timers.tick(60_000);
  assert.equal(lists.length, 2);
  lists[1].resolve({ count: 1, items: [account("Door")] });
  await settled();
  t.mock.timers.tick(10_000);
  assert.equal(lists.length, 3);
  view.close();
});

test("a new key is shown until the dialog is closed, and nothing of it stays", async (t) => {
  const { byID, view, lists, sent, press } = viewOf(t);
  view.open();
  lists[0].resolve({ count: 1, items: [account("Door")] });
  await settled();
  press(0, "renew");
  await settled();
  assert.deepEqual(sent, [["key", "Door"]]);
  assert.equal(byID("grant-secret").textContent, "lsk_secret");
  assert.ok(byID("grant-command").textContent.includes("lsk_secret"));
  assert.equal(byID("grant-qr").children.length, 1);
  byID("grant-close").click();
  for (const id of ["grant-secret", "grant-command"]) assert.equal(byID(id).textContent, "");
  assert.equal(byID("grant-qr").children.length, 0);
});

test("what is gone already is what was wanted", async (t) => {
  const { byID, view, lists, sent, press } = viewOf(t);
  view.open();
  lists[0].resolve({ count: 1, items: [account("Door")] });
  await settled();
  press(0, "remove");
  await settled();
  assert.deepEqual(sent, [["remove", "Door"]]);
  assert.equal(byID("administration-state").textContent, "");
  assert.equal(lists.length, 2);
});

test("a new person gets a code, and no role or group that was not chosen", async (t) => {
  const { byID, view, lists, sent } = viewOf(t);
  view.open();
  lists[0].resolve({ count: 0, items: [] });
  await settled();
  byID("new-person").click();
  byID("account-title").value = " Anna ";
  byID("account-form").dispatchEvent(new Event("submit"));
  await settled();
  assert.deepEqual(sent, [["create", { title: "Anna", groups: [], role: "user", kind: "person" }]]);
  assert.equal(byID("grant-secret").textContent, "ABCD-EFGH-JKMN-PQRS");
  assert.equal(byID("grant-command").hidden, true);
});
