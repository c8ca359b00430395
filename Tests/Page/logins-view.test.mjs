import { deferred, settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { LoginsView } from "../../Sources/Hub/HubHTTP/web/logins-view.js";

const login = (id, isCurrent = false) => ({ id, client: id, address: "::1", startedAt: 0, renewedAt: 0, isCurrent });

function viewOf(t) {
  const byID = makeDocument(t);
  const [lists, ended] = [[], []];
  const view = new LoginsView({
    logins() {
      lists.push(deferred());
      return lists.at(-1).promise;
    },
    async endOtherLogins(id) { ended.push(id); },
  });
  const entries = () => byID("login-list").children.map((entry) => entry.querySelector(".title").textContent);
  return { byID, view, lists, ended, entries };
}

test("a list that comes late does not bring back a login that was ended", async (t) => {
  const { byID, view, lists, ended, entries } = viewOf(t);
  view.open();
  lists[0].resolve({ items: [login("own", true), login("one"), login("two")] });
  await settled();
  assert.deepEqual(entries(), ["own (this page)", "one", "two"]);
  for (const entry of byID("login-list").children.slice(1)) entry.querySelector("button").click();
  await settled();
  lists[2].resolve({ items: [login("own", true)] });
  await settled();
  lists[1].resolve({ items: [login("own", true), login("two")] });
  await settled();
  assert.deepEqual([ended, entries()], [["one", "two"], ["own (this page)"]]);
});

test("a list that comes after the dialog was closed is not shown", async (t) => {
  const { view, lists, entries } = viewOf(t);
  view.open();
  view.close();
  lists[0].resolve({ items: [login("one")] });
  await settled();
  assert.deepEqual(entries(), []);
});
