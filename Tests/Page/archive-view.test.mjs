import { deferred, settled } from "./support/environment.mjs";
import { makeDocument, watchObjectURLs } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { ArchiveView } from "../../Sources/Hub/HubHTTP/web/archive-view.js";

const door = { userID: "door", userTitle: "Door" };
const listOf = (...ids) => ({ items: ids.map((id) => ({ id, createdAt: 0, status: "stopped" })) });
const file = { filename: "a.webm", streamId: "device", startTimeOffset: 0, stopTimeOffset: 1_000, size: 3 };

/** The view, and the hub's answers in the order of the requests, which the test gives. */
function viewOf(t) {
  const byID = makeDocument(t);
  const [lists, manifests, files] = [[], [], []];
  const ask = (answers, about = null) => {
    answers.push({ about, ...deferred() });
    return answers.at(-1).promise;
  };
  const view = new ArchiveView({
    archives: (userID) => ask(lists, userID), archiveManifest: (userID, id) => ask(manifests, id),
    archiveFile: () => ask(files),
  });
  const rows = () => byID("archive-list").children.map(({ dataset }) => dataset.archiveId);
  return { byID, view, lists, manifests, files, rows, urls: watchObjectURLs(t) };
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
  assert.equal(byID("archive-player").dataset.archiveId, "second");
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

test("no object URL outlives its player", async (t) => {
  const { byID, view, lists, manifests, files, urls } = viewOf(t);
  view.openAt({ user: door, archiveID: "first", seconds: 0 });
  lists[0].resolve(listOf());
  await settled();
  manifests[0].resolve({ files: [file] });
  await settled();
  const [figure] = byID("archive-player").children;
  figure.querySelector("video").play = async () => {};
  files[0].resolve(new Response("abc", { status: 206 }));
  await settled();
  await settled();
  assert.equal(urls.size, 1);
  view.close();
  assert.equal(urls.size, 0);
});

test("a file that is whole as its player closes plays nothing and leaves no object URL", async (t) => {
  const { byID, view, lists, manifests, files, urls } = viewOf(t);
  view.openAt({ user: door, archiveID: "first", seconds: 0 });
  lists[0].resolve(listOf());
  await settled();
  manifests[0].resolve({ files: [file] });
  await settled();
  const [figure] = byID("archive-player").children;
  let plays = 0;
  figure.querySelector("video").play = async () => { plays += 1; };
  const cancelled = deferred();
  const start = (controller) => controller.enqueue(new TextEncoder().encode("abc"));
  files[0].resolve(new Response(new ReadableStream({ start, cancel: () => cancelled.promise }), { status: 206 }));
  await settled();
  view.close();
  cancelled.resolve();
  await settled();
  assert.deepEqual([urls.size, plays], [0, 0]);
});
