import { define } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { bindPosition } from "../../Sources/Hub/HubHTTP/web/position.js";
import { Clock } from "./support/clock.mjs";

/** The box, what the page learns of the position, and the browser's searches, which the test answers. */
function boxOf(t) {
  new Clock(t);
  const byID = makeDocument(t);
  const [moves, searches] = [[], []];
  define(t, "navigator", {
    geolocation: { getCurrentPosition: (found, failed) => searches.push({
      find: (latitude, longitude) => found({ coords: { latitude, longitude } }),
      fail: (code) => failed({ code, PERMISSION_DENIED: 1 }),
    }) },
  });
  bindPosition((position) => moves.push(position));
  const box = byID("share-position");
  const tick = (isChecked) => {
    box.checked = isChecked;
    box.dispatchEvent(new Event("change"));
  };
  return { byID, box, tick, moves, searches };
}

test("a position is rounded before it leaves the page, and taken back", (t) => {
  const { byID, tick, moves, searches: searching } = boxOf(t);
  tick(true);
  assert.equal(byID("within").hidden, false);
  searching[0].find(52.520008, 13.404954);
  tick(false);
  assert.deepEqual(moves, [{ latitude: 52.52, longitude: 13.405 }, null]);
  assert.equal(byID("within").hidden, true);
});

test("what is found after the person has unticked the box stays in the browser", (t) => {
  const { tick, moves, searches } = boxOf(t);
  tick(true);
  tick(false);
  searches[0].find(52.52, 13.4);
  assert.deepEqual(moves, [null]);
});

test("and the end of an earlier search is not that of a later one", (t) => {
  const { box, byID, tick, moves, searches } = boxOf(t);
  tick(true);
  tick(false);
  tick(true);
  searches[0].fail(3);
  assert.deepEqual([box.checked, byID("notice").textContent], [true, ""]);
  searches[0].find(1, 1);
  searches[1].find(2, 2);
  assert.deepEqual(moves, [null, { latitude: 2, longitude: 2 }]);
});

test("a search that fails unticks the box and says why", (t) => {
  const { box, byID, tick, moves, searches } = boxOf(t);
  tick(true);
  searches[0].fail(1);
  assert.deepEqual([box.checked, byID("within").hidden, moves], [false, true, []]);
  assert.match(byID("notice").textContent, /may not use/);
});
