import assert from "node:assert/strict";
import test from "node:test";
import { EventRoute } from "../../Sources/Hub/HubHTTP/web/event-route.js";

test("three silent streams one after the other have polling tried", () => {
  const route = new EventRoute();
  const isPolling = (isSilence) => {
    route.failed(isSilence);
    return route.isPolling;
  };
  assert.deepEqual([true, false, true, true, true].map(isPolling), [false, false, false, false, true]);
});

test("a hub that hangs is not polled; proven polling outlives its restart, until a stream works", () => {
  const route = new EventRoute();
  for (let count = 0; count < 3; count += 1) route.failed(true);
  route.failed(true);
  assert.equal(route.isPolling, false);
  for (let count = 0; count < 3; count += 1) route.failed(true);
  route.streamIsHeldBack();
  route.failed(false);
  assert.ok(route.isPolling && route.isProven);
  route.streamWorks();
  assert.ok(!route.isPolling && !route.isProven);
});
