import assert from "node:assert/strict";
import test from "node:test";
import { MediaLife, receivedBytes } from "../../Sources/Hub/HubHTTP/web/media-life.js";

test("received media are the bytes of inbound streams alone", () => {
  assert.equal(receivedBytes([
    { type: "inbound-rtp", bytesReceived: 5 }, { type: "inbound-rtp", bytesReceived: 7 }, { type: "inbound-rtp" },
    { type: "transport", bytesReceived: 100 }, { type: "remote-inbound-rtp" },
  ]), 12);
});

test("growth is a sign of life for 2 s", () => {
  const life = new MediaLife();
  const isAlive = (bytes, now) => {
    life.note(bytes, now);
    return life.isAlive(now);
  };
  assert.equal(isAlive(100, 0), false);
  assert.equal(isAlive(100, 1_000), false);
  assert.equal(isAlive(101, 2_000), true);
  assert.equal(isAlive(101, 3_999), true);
  assert.equal(isAlive(101, 4_000), false);
  assert.equal(isAlive(102, 9_000), true);
});
