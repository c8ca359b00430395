import { define } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { newSessionID } from "../../Sources/Hub/HubHTTP/web/session-id.js";

/** Of a random UUID (RFC 9562, section 5.4). */
const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("an id is a random UUID", () => {
  const ids = new Set(Array.from({ length: 100 }, newSessionID));
  assert.equal(ids.size, 100);
  for (const id of ids) assert.match(id, shape);
});

test("also without a secure context", (t) => {
  const { crypto } = globalThis;
  define(t, "crypto", { getRandomValues: (bytes) => crypto.getRandomValues(bytes) });
  const ids = new Set(Array.from({ length: 100 }, newSessionID));
  assert.equal(ids.size, 100);
  for (const id of ids) assert.match(id, shape);
  define(t, "crypto", { getRandomValues: (bytes) => bytes.fill(255) });
  assert.equal(newSessionID(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
});
