import { deferred, define, settled } from "./support/environment.mjs";
import { watchObjectURLs } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Thumbnails } from "../../Sources/Hub/HubHTTP/web/thumbnails.js";

test("images are loaded when they are seen, one after another, and their URLs end with them", async (t) => {
  const observed = new Set();
  let see;
  define(t, "IntersectionObserver", class {
    constructor(seen) { see = (...targets) => seen(targets.map((target) => ({ target, isIntersecting: true }))); }
    observe(target) { observed.add(target); }
    unobserve(target) { observed.delete(target); }
    disconnect() { observed.clear(); }
  });
  const urls = watchObjectURLs(t);
  const asked = [];
  const thumbnails = new Thumbnails((id) => {
    asked.push({ id, ...deferred() });
    return asked.at(-1).promise;
  });
  const images = ["a", "b", "c", "d"].map((id) => {
    const image = { hidden: true };
    thumbnails.add(image, id);
    return image;
  });
  see(images[2], images[0]);
  see(images[1]);
  assert.deepEqual(asked.map(({ id }) => id), ["c"]);
  asked[0].resolve(new Blob(["x"]));
  await settled();
  asked[1].reject(new Error("no image"));
  await settled();
  assert.deepEqual([images[2].src, images[0].hidden, asked.map(({ id }) => id)], ["blob:1", true, ["c", "a", "b"]]);
  thumbnails.end();
  asked[2].resolve(new Blob(["x"]));
  await settled();
  assert.deepEqual([urls.size, observed.size, asked.length, images[1].src], [0, 0, 3, undefined]);
});
