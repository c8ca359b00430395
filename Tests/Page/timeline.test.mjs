import assert from "node:assert/strict";
import test from "node:test";
import { fileAt, offsetIn, placeOf, recordingAt, recordingsIn } from "../../Sources/Hub/HubHTTP/web/timeline.js";

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

test("a moment's file is of the device's own stream, or of the named camera", () => {
  const files = ["caller", "device", "device"].map((streamId, index) => ({ streamId, startTimeOffset: index * 1_000 }));
  const found = (list, seconds, camera) => list.indexOf(fileAt(seconds, list, camera));
  assert.deepEqual([1.5, 9, 0].map((seconds) => found(files, seconds)), [1, 2, 1]);
  assert.equal(fileAt(9, []), undefined);
  const gate = [0, 500].map((startTimeOffset) => ({ streamId: "gate", camera: "gate", startTimeOffset }));
  const further = [...files, ...gate];
  assert.deepEqual([found(further, 9, "gate"), found(further, 0, "gate"), found(further, 9, "yard"), found(further, 9)],
    [4, 3, 2, 2]);
});
