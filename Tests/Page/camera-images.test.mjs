import { deferred, settled } from "./support/environment.mjs";
import { watchObjectURLs } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { cameraKey, CameraImages, partsOf } from "../../Sources/Hub/HubHTTP/web/camera-images.js";
import { Clock } from "./support/clock.mjs";

const image = new Blob(["x"]);
const failure = (status, retryAfter = null) => Object.assign(new Error(), { status, retryAfter });

function imagesOf(t, names = ["device", "yard"]) {
  const [clock, asked] = [new Clock(t), []];
  const images = new CameraImages({
    async cameras() {
      if (names === null) throw failure(404);
      return { items: names };
    },
    snapshot(userID, camera) {
      asked.push({ about: `${userID} ${camera}`, ...deferred() });
      return asked.at(-1).promise;
    },
  });
  const answer = async (index, error = null) => {
    if (error) asked[index].reject(error);
    else asked[index].resolve(image);
    await settled();
  };
  return { clock, images, asked, answer, urls: watchObjectURLs(t) };
}

const [main, yard] = [cameraKey("door", "device"), cameraKey("door", "yard")];

test("keys lead back to what they are of, whatever is in an id", () => {
  assert.deepEqual(partsOf(cameraKey("a b\"", "c")), { userID: "a b\"", camera: "c" });
});

test("images follow each other, and the one before is let go", async (t) => {
  const { clock, images, asked, answer, urls } = imagesOf(t);
  images.start();
  images.show([main, yard]);
  await settled();
  assert.deepEqual(asked.map(({ about }) => about), ["door null", "door yard"]);
  await answer(0);
  await answer(1);
  await clock.advance(10_000);
  await answer(2);
  assert.deepEqual([images.get(main).url, images.get(main).takenAt, urls.size], ["blob:3", 10_000, 2]);
  images.clear();
  assert.deepEqual([urls.size, images.get(main)], [0, undefined]);
});

test("the names of the cameras are known with the first image", async (t) => {
  const { images } = imagesOf(t, ["device", "yard", 5]);
  assert.deepEqual(images.camerasOf("door"), ["device"]);
  const named = [];
  images.addEventListener("cameras", ({ detail }) => named.push(detail));
  images.start();
  images.show([main]);
  await settled();
  assert.deepEqual([images.camerasOf("door"), named], [["device", "yard"], ["door"]]);
});

test("a device that names no camera shows its main one", async (t) => {
  const { images, asked } = imagesOf(t, null);
  images.start();
  images.show([main]);
  await settled();
  assert.deepEqual([images.camerasOf("door"), asked.length], [["device"], 1]);
});

test("where there is no newer image the last one stays, with the reason; one that is refused is not asked for again", async (t) => {
  const { clock, images, asked, answer, urls } = imagesOf(t);
  images.start();
  images.show([main]);
  await settled();
  await answer(0);
  await clock.advance(10_000);
  await answer(1, failure(404));
  assert.deepEqual([images.get(main).url, images.get(main).error.status], ["blob:1", 404]);
  await clock.advance(29_000);
  assert.equal(asked.length, 2);
  await clock.advance(1_000);
  await answer(2, failure(403));
  images.show([main]);
  await clock.advance(3_600_000);
  assert.deepEqual([asked.length, urls.size], [3, 1]);
});

test("an answer for an earlier login is dropped, and a page out of sight asks for nothing", async (t) => {
  const { clock, images, asked, answer, urls } = imagesOf(t);
  images.start();
  images.show([main]);
  await settled();
  images.clear();
  await answer(0);
  assert.equal(urls.size, 0);
  images.show([main]);
  await clock.advance(60_000);
  assert.equal(asked.length, 1);
});
