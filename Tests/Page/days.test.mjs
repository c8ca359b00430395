import assert from "node:assert/strict";
import test from "node:test";
import { dayAfter, dayFromText, dayOf, dayText } from "../../Sources/Hub/HubHTTP/web/days.js";
import { hoursOf, placeOf } from "../../Sources/Hub/HubHTTP/web/timeline.js";

const hour = 3_600_000;
const length = ({ from, before }) => (before - from) / hour;

function inZone(t, zone) {
  const before = process.env.TZ;
  process.env.TZ = zone;
  t.after(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
}

test("a day is found from its text and back, and its neighbours", () => {
  const day = dayFromText("2026-11-24");
  assert.deepEqual([day, dayAfter(day, -1), dayOf(day.before), dayOf(day.before - 1)].map(dayText),
    ["2026-11-24", "2026-11-23", "2026-11-25", "2026-11-24"]);
});

test("months and years end", () => {
  assert.equal(dayText(dayAfter(dayFromText("2026-12-31"))), "2027-01-01");
  assert.equal(dayText(dayAfter(dayFromText("2028-02-28"))), "2028-02-29");
});

test("what is no day since 1970 is none", () => {
  const none = [
    "1969-12-30", "", "2026-1-1", "2026-11-24T00:00", "0099-01-01", "2026-02-31", "2026-13-01", "2026-00-10",
  ];
  for (const text of none) assert.equal(dayFromText(text), null, text);
});

test("days have 23 to 25 hours where clocks are set", (t) => {
  inZone(t, "Europe/Berlin");
  const days = ["2026-03-29", "2026-07-01", "2026-10-25"].map(dayFromText);
  assert.deepEqual(days.map(length), [23, 24, 25]);
  assert.deepEqual(days.map((day) => dayText(dayAfter(day))), ["2026-03-30", "2026-07-02", "2026-10-26"]);
});

test("and where midnight is left out", (t) => {
  inZone(t, "America/Santiago");
  const day = dayFromText("2026-09-06");
  assert.equal(length(day), 23);
  const days = [dayAfter(day, -1), day, dayAfter(day)];
  assert.deepEqual(days.map(dayText), ["2026-09-05", "2026-09-06", "2026-09-07"]);
});

test("the strip's hours are those of the clock on the wall", (t) => {
  inZone(t, "Europe/Berlin");
  const day = dayFromText("2026-03-29");
  const hours = hoursOf(day);
  assert.deepEqual(hours.map((mark) => mark.hour), [0, 3, 6, 9, 12, 15, 18, 21]);
  assert.equal((hours[1].time - hours[0].time) / hour, 2);
  assert.ok(placeOf(hours[4].time, day) < 0.5);
});
