import assert from "node:assert/strict";
import test from "node:test";
import { labelsOf, offsetIn, placeOf, recordingAt, recordingsIn, shownOf, zoomedAbout } from "../../Sources/Hub/HubHTTP/web/timeline.js";

test("a moment lies within its day", () => {
  const day = { from: 1_000, before: 2_000 };
  assert.deepEqual([1_000, 1_250, 3_000, 0].map((time) => placeOf(time, day)), [0, 0.25, 1, 0]);
});

const answer = { items: [
  { id: "b", start: 50 }, { id: "a", start: 10, end: 90 }, { id: "c", start: 0, end: 99, timeLapseInterval: 1_000 },
  { id: 5, start: 1 }, { id: "d", start: "1" }, { id: "e", start: NaN }, {}, null,
] };

test("what is no recording is left out, and ongoing ones end now", () => {
  const recordings = recordingsIn(answer, 80);
  assert.deepEqual(recordings.map(({ id, end, isRunning }) => [id, end, isRunning]),
    [["c", 99, false], ["a", 90, false], ["b", 80, true]]);
  // A clock that is behind the device's gives no recording a negative length.
  assert.equal(recordingsIn({ items: [{ id: "b", start: 50 }] }, 20)[0].end, 50);
  for (const none of [null, {}, { items: "x" }]) assert.deepEqual(recordingsIn(none, 0), []);
});

test("a device reports 500 recordings at most", () => {
  const items = Array.from({ length: 600 }, (_, start) => ({ id: String(start), start }));
  assert.equal(recordingsIn({ items }, 0).length, 500);
});

test("the best recording is an event's own, then the newest, time-lapses last", () => {
  const recordings = recordingsIn(answer, 80);
  const shown = (...question) => recordingAt(...question)?.id;
  assert.equal(shown(60, recordings), "b");
  assert.equal(shown(60, recordings, ["a"]), "a");
  assert.equal(shown(95, recordings, 7), "c");
  assert.equal(shown(100, recordings), undefined);
});

test("a moment's place in a recording", () => {
  assert.equal(offsetIn({ start: 1_000 }, 3_500), 2.5);
  assert.equal(offsetIn({ start: 0, timeLapseInterval: 1_000 }, 60_000), 2);
  assert.equal(offsetIn({ start: 5_000 }, 0), 0);
});

const width = 1_000;
const day = { from: new Date(2026, 10, 27).getTime(), before: new Date(2026, 10, 28).getTime() };

test("zooming keeps what is under the pointer where it is", () => {
  let place = { scale: 1, left: 0, width };
  const at = ({ scale, left }, x) => (left + x) / (width * scale);
  const before = at(place, 300);
  for (let step = 0; step < 6; step += 1) place = zoomedAbout(place, 2, 300);
  assert.equal(place.scale, 64);
  assert.ok(Math.abs(at(place, 300) - before) < 1e-9);
  for (let step = 0; step < 9; step += 1) place = zoomedAbout(place, 0.5, 900);
  assert.deepEqual([place.scale, place.left], [1, 0]);
});

test("the strip goes down to ten minutes, and not beyond the day", () => {
  const place = zoomedAbout({ scale: 1, left: 0, width }, 1e9, width);
  const shown = shownOf(place, day);
  assert.equal(Math.round((shown.before - shown.from) / 1_000), 600);
  assert.ok(Math.abs(shown.before - day.before) < 1_000);
  assert.deepEqual(shownOf({ scale: 1, left: 0, width }, day), day);
});

test("there are as many labels as there is room for", () => {
  const texts = (place) => labelsOf(place, day).map(({ text }) => text);
  assert.deepEqual(texts({ scale: 1, left: 0, width }), ["00", "03", "06", "09", "12", "15", "18", "21"]);
  const hour = texts({ scale: 24, left: 14 * width, width });
  assert.ok(hour.includes("14:00") && hour.includes("14:05") && hour.length <= 40, hour.join());
  const minutes = texts({ scale: 144, left: 84 * width, width });
  assert.ok(minutes.includes("14:01") && minutes.length <= 40, minutes.join());
  assert.ok(texts({ scale: 1, left: 0, width: 200 }).length <= 8);
});
