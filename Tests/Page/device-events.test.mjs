import assert from "node:assert/strict";
import test from "node:test";
import { DeviceEvents, regionOf } from "../../Sources/Hub/HubHTTP/web/device-events.js";

/** Events of 0 to 10 from a device that answers with these pages, and what it was asked. */
function eventsOf(pages) {
  const asked = [];
  const load = async ({ from, before, after }) => {
    asked.push(`${from}-${before}/${after}`);
    return pages.shift();
  };
  return { events: new DeviceEvents(load, { from: 0, before: 10 }), asked };
}

const ids = ({ items }) => items.map(({ id }) => id).join(" ");

test("a device that repeats itself gets no further questions, and what is no event is left out", async () => {
  const { events, asked } = eventsOf([
    { items: [{ id: "y", start: 9 }, { id: "x", start: 5 }], hasMore: true },
    { items: [{ id: "x", start: 5 }, { start: 2 }, { id: "z", start: "1" }, null], hasMore: true },
  ]);
  await events.loadMore();
  await events.loadMore();
  assert.deepEqual(asked, ["0-10/null", "0-5/null"]);
  assert.equal(ids(events), "y x");
  assert.equal(events.hasMore, false);
});

test("events of one moment on several pages are all found", async () => {
  const { events, asked } = eventsOf([
    { items: [{ id: "d", start: 5 }, { id: "c", start: 5 }], hasMore: true, next: "5-c" },
    { items: [{ id: "c", start: 5 }, { id: "b", start: 5 }], hasMore: true, next: "5-b" },
    { items: [{ id: "a", start: 5 }, { id: "z", start: 0 }], hasMore: true, next: "0-z" },
    { items: [], hasMore: false },
  ]);
  while (events.hasMore) await events.loadMore();
  assert.deepEqual(asked, ["0-10/null", "0-6/5-c", "0-6/5-b", "0-1/0-z"]);
  assert.equal(ids(events), "d c b a z");
});

test("what is outside the span is not the day's, and what is no page has nothing", async () => {
  const { events } = eventsOf([{ items: [{ id: "later", start: 10 }, { id: "earlier", start: -1 }], hasMore: true }]);
  await events.loadMore();
  assert.deepEqual([ids(events), events.hasMore], ["", false]);
  for (const page of [null, {}, { items: {}, hasMore: true }]) {
    const { events: none } = eventsOf([page]);
    assert.deepEqual([await none.loadMore(), none.hasMore], [[], false]);
  }
});

test("a region lies within its image", () => {
  const region = (x, y, width, height) => regionOf({ region: { x, y, width, height } });
  assert.deepEqual(region(500, 0, 100, 1_000), { left: 50, top: 0, width: 10, height: 100 });
  const impossible = [[950, 0, 100, 1], ["1", 1, 1, 1], [-1, 0, 1, 1], [0, 0, 0, 1], [NaN, 0, 1, 1]];
  for (const parts of impossible) assert.equal(region(...parts), null);
  for (const no of [3, null, undefined, "x"]) assert.equal(regionOf({ region: no }), null);
});
