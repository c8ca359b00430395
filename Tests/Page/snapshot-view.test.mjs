import { deferred, settled } from "./support/environment.mjs";
import { makeDocument, watchObjectURLs } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { SnapshotView } from "../../Sources/Hub/HubHTTP/web/snapshot-view.js";

const user = (userID) => ({ userID, userTitle: userID });

/** The view of devices with these cameras, and the snapshots, which the test delivers. */
function viewOf(t, names) {
  const byID = makeDocument(t);
  const snapshots = [];
  const view = new SnapshotView({
    async cameras() {
      if (names === null) throw Object.assign(new Error(), { status: 404 });
      return { items: names };
    },
    snapshot(userID, camera) {
      snapshots.push({ about: `${userID} ${camera}`, ...deferred() });
      return snapshots.at(-1).promise;
    },
  });
  return { byID, view, snapshots, urls: watchObjectURLs(t) };
}

const image = new Blob(["x"]);

test("one snapshot of each camera, one after another; no object URL is left", async (t) => {
  const { byID, view, snapshots, urls } = viewOf(t, ["device", "gate", 5, null]);
  view.open(user("door"));
  await settled();
  assert.deepEqual(snapshots.map(({ about }) => about), ["door device"]);
  snapshots[0].resolve(image);
  await settled();
  snapshots[1].reject(Object.assign(new Error(), { status: 404 }));
  await settled();
  assert.deepEqual([urls.size, byID("snapshot-again").disabled, byID("snapshot-picture").hidden], [1, false, false]);
  byID("snapshot-cameras").children[1].click();
  assert.equal(byID("snapshot-picture").hidden, true);
  assert.match(byID("snapshot-state").textContent, /^The camera delivers no frame/);
  byID("snapshot-again").click();
  await settled();
  for (const index of [2, 3]) {
    snapshots[index].resolve(image);
    await settled();
  }
  assert.equal(urls.size, 2);
  view.close();
  assert.equal(urls.size, 0);
});

test("a device that names no camera shows its main one", async (t) => {
  const { byID, view, snapshots } = viewOf(t, null);
  view.open(user("door"));
  await settled();
  assert.deepEqual([snapshots[0].about, byID("snapshot-cameras").hidden], ["door null", true]);
});

test("a snapshot of another device, or for a closed view, is dropped", async (t) => {
  const { byID, view, snapshots, urls } = viewOf(t, ["device"]);
  view.open(user("door"));
  await settled();
  view.open(user("gate"));
  await settled();
  snapshots[0].resolve(image);
  await settled();
  assert.deepEqual([urls.size, byID("snapshot-again").disabled], [0, true]);
  view.close();
  snapshots[1].resolve(image);
  await settled();
  assert.deepEqual([urls.size, byID("snapshot").hidden], [0, true]);
});
