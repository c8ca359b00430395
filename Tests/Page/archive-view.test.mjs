import { define, deferred, settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { ArchiveView } from "../../Sources/Hub/HubHTTP/web/archive-view.js";

const door = { userID: "door", userTitle: "Door" };
const listOf = (...ids) => ({ items: ids.map((id) => ({ id, createdAt: 0, status: "stopped" })) });

/** The view, and the hub's answers in the order of the requests, which the test gives. */
function viewOf(t) {
  const byID = makeDocument(t);
  define(t, "IntersectionObserver", class { observe() {} unobserve() {} disconnect() {} });
  const [lists, manifests, changes] = [[], [], []];
  const ask = (answers, about = null) => {
    answers.push({ about, ...deferred() });
    return answers.at(-1).promise;
  };
  const view = new ArchiveView({
    archives: (userID) => ask(lists, userID), archiveManifest: (userID, id) => ask(manifests, id),
    changeArchive: (userID, id, change) => ask(changes, { id, ...change }), deleteArchive: (userID, id) => ask(changes, { id }),
  });
  const shown = () => byID("archive-list").children.flatMap((day) => day.querySelector("ul").children);
  const rows = () => shown().map(({ dataset }) => dataset.archiveId);
  return { byID, view, lists, manifests, changes, rows, shown };
}

test("of two lists of one device the one that was asked for last stays", async (t) => {
  const { byID, view, lists, rows } = viewOf(t);
  view.open(door);
  view.open(door);
  lists[1].resolve(listOf("new"));
  await settled();
  lists[0].resolve(listOf("old"));
  await settled();
  assert.deepEqual(rows(), ["new"]);
  view.open(door);
  view.close();
  view.open(door);
  lists[2].reject(new Error("late"));
  await settled();
  assert.equal(byID("archives-state").textContent, "Asking the device …");
});

test("of two moments that were chosen the last one plays", async (t) => {
  const { byID, view, lists, manifests } = viewOf(t);
  view.openAt({ user: door, archiveID: "first", seconds: 1 });
  view.openAt({ user: door, archiveID: "second", seconds: 2 });
  lists[1].resolve(listOf());
  await settled();
  lists[0].resolve(listOf());
  await settled();
  for (const { resolve } of manifests) resolve({ files: [] });
  await settled();
  assert.deepEqual(manifests.map(({ about }) => about), ["second"]);
  assert.equal(byID("archives-state").textContent, "This recording has no files.");
});

test("the failure of a player that is closed says nothing", async (t) => {
  const { byID, view, lists, manifests } = viewOf(t);
  view.openAt({ user: door, archiveID: "first", seconds: 0 });
  lists[0].resolve(listOf());
  await settled();
  view.openAt({ user: door, archiveID: "second", seconds: 0 });
  manifests[0].reject(new Error("late"));
  await settled();
  assert.equal(byID("archives-state").textContent, "Asking the device …");
});

test("a locked recording cannot be deleted, and what the device refuses is said", async (t) => {
  const { byID, view, lists, changes, shown } = viewOf(t);
  view.open(door);
  lists[0].resolve({ items: [{ id: "one", createdAt: 0, status: "available", isLocked: false }] });
  await settled();
  const button = (action) => shown()[0].querySelector(`[data-action="${action}"]`);
  button("lock").click();
  changes[0].resolve({ id: "one", name: "", isLocked: true, isDeleted: false });
  await settled();
  assert.deepEqual([changes[0].about, button("delete").disabled], [{ id: "one", isLocked: true }, true]);
  button("lock").click();
  changes[1].reject(Object.assign(new Error(), { status: 403, detail: "its policy does not let you" }));
  await settled();
  assert.equal(byID("archives-state").textContent, "its policy does not let you");
});

test("a device of an earlier version offers no changes", async (t) => {
  const { view, lists, shown } = viewOf(t);
  view.open(door);
  lists[0].resolve(listOf("old"));
  await settled();
  for (const action of ["lock", "rename", "delete"]) assert.ok(shown()[0].querySelector(`[data-action="${action}"]`).hidden);
});
