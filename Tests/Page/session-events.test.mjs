import "./support/environment.mjs";
import { apiDescription } from "./support/sources.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { sessionEvents } from "../../Sources/Hub/HubHTTP/web/session-events.js";

/** Of the page as a whole, and those that devices alone receive. */
const others = ["call.history", "call.incoming", "control", "hello", "presence", "request"];

test("each event of the hub about a call has a meaning here, and no other has", () => {
  const names = apiDescription().components.schemas.Event.oneOf.map(({ properties }) => properties.event.const);
  assert.deepEqual(names.sort(), [...Object.keys(sessionEvents), ...others].sort());
});
