import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { ArchiveClock, correctionOf, lengthOf, placeIn, streamsOf } from "../../Sources/Hub/HubHTTP/web/archive-clock.js";

const file = (streamId, startTimeOffset, stopTimeOffset, more = {}) =>
  ({ filename: `${streamId}-${startTimeOffset}.webm`, streamId, startTimeOffset, stopTimeOffset, ...more });

test("the device's stream comes first, then its cameras', each with its files in the order of time", () => {
  const streams = streamsOf([
    file("caller", 1_730, 9_000), file("yard", 40, 9_000, { camera: "yard" }), file("device", 5_000, 9_000),
    file("device", 0, 5_000), null, { filename: "x" }, file("device", Number.NaN, 3),
  ]);
  assert.deepEqual(streams.map(({ id, files }) => [id, files.length]), [["device", 2], ["yard", 1], ["caller", 1]]);
  assert.equal(streams[0].files[0].startTimeOffset, 0);
  assert.equal(lengthOf(streams), 9);
  assert.equal(lengthOf([]), 0);
});

test("a moment lies in the file that shows it, and in none in gaps", () => {
  const [stream] = streamsOf([file("device", 0, 5_000), file("device", 7_000, 9_000)]);
  const at = (moment) => placeIn(stream, moment);
  assert.deepEqual([at(0).seconds, at(4.999).file.filename, at(7.5).seconds], [0, "device-0.webm", 0.5]);
  assert.deepEqual([at(5), at(6.9), at(9)], [null, null, null]);
  const [running] = streamsOf([file("device", 100, 0)]);
  assert.equal(placeIn(running, 60).seconds, 59.9);
});

test("what is near plays a little faster or slower, what is far jumps", () => {
  assert.deepEqual(correctionOf(0.01, 1), { jump: false, rate: 1 });
  assert.ok(correctionOf(0.1, 1).rate < 1 && correctionOf(-0.1, 1).rate > 1);
  assert.ok(correctionOf(-0.3, 2).rate <= 2.5);
  assert.ok(correctionOf(0.5, 1).jump && correctionOf(-3, 4).jump);
  assert.ok(!correctionOf(0.5, 4).jump);
});

test("corrections bring a video to the clock, whatever it begins with", () => {
  for (const lead of [-0.39, -0.1, 0.05, 0.39]) {
    let now = lead;
    for (let beat = 0; beat < 60; beat += 1) {
      const { rate } = correctionOf(now, 1);
      now += (rate - 1) * 0.1;
    }
    assert.ok(Math.abs(now) <= 0.03, `${lead} s become ${now}`);
  }
});

test("the clock runs, holds, jumps and changes its pace", () => {
  const clock = new ArchiveClock(100);
  assert.equal(clock.at(5_000), 0);
  clock.run(1_000);
  assert.equal(clock.at(3_000), 2);
  clock.setRate(4, 3_000);
  assert.equal(clock.at(4_000), 6);
  clock.hold(4_000);
  assert.equal(clock.at(90_000), 6);
  clock.seek(50, 90_000);
  clock.run(90_000);
  assert.equal(clock.at(91_000), 54);
  assert.equal(clock.at(1_000_000), 100);
  clock.seek(-3, 91_000);
  assert.equal(clock.at(91_000), 0);
});
