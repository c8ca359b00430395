import { deferred, settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { InvitationsView } from "../../Sources/Hub/HubHTTP/web/invitations-view.js";

const invitation = (name, state) => ({ id: name, name, deviceTitle: "Door", state, media: "watch", from: 0, until: 1, madeBy: "Ann" });

function viewOf(t) {
  const byID = makeDocument(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const lists = [];
  const view = new InvitationsView({
    invitations() {
      lists.push(deferred());
      return lists.at(-1).promise;
    },
    async devices() { return { items: [] }; },
  });
  return { byID, view, lists };
}

test("the list follows what guests do, for as long as it is open", async (t) => {
  const { byID, view, lists } = viewOf(t);
  view.open();
  lists[0].resolve({ items: [invitation("Plumber", "waiting")] });
  await settled();
  const [first] = byID("invitation-list").children;
  t.mock.timers.tick(10_000);
  lists[1].resolve({ items: [invitation("Plumber", "waiting")] });
  await settled();
  // What has not changed stays, with the focus that it may have.
  assert.equal(byID("invitation-list").children[0], first);
  t.mock.timers.tick(10_000);
  lists[2].resolve({ items: [invitation("Plumber", "used"), invitation("Aunt", "waiting")] });
  await settled();
  assert.equal(byID("invitation-list").children.length, 2);
  view.close();
  t.mock.timers.tick(60_000);
  assert.equal(lists.length, 3);
});

test("a hub that is away is asked again", async (t) => {
  const { byID, view, lists } = viewOf(t);
  view.open();
  lists[0].reject(new Error("away"));
  await settled();
  assert.notEqual(byID("invitations-state").textContent, "");
  t.mock.timers.tick(10_000);
  lists[1].resolve({ items: [invitation("Plumber", "waiting")] });
  await settled();
  assert.equal(byID("invitation-list").children.length, 1);
});
