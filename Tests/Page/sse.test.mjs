import assert from "node:assert/strict";
import test from "node:test";
import { EventStreamParser } from "../../Sources/Hub/HubHTTP/web/sse.js";

const text = ": hi\n\nid: 7\nevent: signal\ndata: {\"a\":\ndata: 1}\n\n" +
  "data:bare\r\n\r\nid: 8\n\nevent: nothing\n\nid: 9\ndata: half";

test("events are the same in pieces of any size", () => {
  for (let size = 1; size <= text.length; size += 1) {
    const parser = new EventStreamParser();
    const events = [];
    for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
    assert.deepEqual(events, [
      { id: "7", name: "signal", data: "{\"a\":\n1}" }, { id: "7", name: "message", data: "bare" },
    ], `pieces of ${size}`);
    assert.equal(parser.lastEventID, "8");
  }
});

test("a space after the colon is no part of the value, a second one is", () => {
  const [event] = new EventStreamParser().push("event:x\ndata:  a: b \ndata\n\n");
  assert.deepEqual(event, { id: "", name: "x", data: " a: b \n" });
});

test("ids with a zero are ignored, and an empty one takes the last back", () => {
  const parser = new EventStreamParser();
  assert.deepEqual(parser.push("id: 1\ndata: x\n\nid: 2\0\ndata: x\n\n").map(({ id }) => id), ["1", "1"]);
  assert.deepEqual(parser.push("id\ndata: x\n\n").map(({ id }) => id), [""]);
});
