import { define } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { OtherPages } from "../../Sources/Hub/HubHTTP/web/other-pages.js";
import { Clock } from "./support/clock.mjs";

test("other pages of the same person answer, those of others and oneself do not", async (t) => {
  const clock = new Clock(t);
  const channels = new Set();
  define(t, "BroadcastChannel", class extends EventTarget {
    constructor(name) {
      super();
      this.name = name;
      channels.add(this);
    }
    postMessage(data) {
      const others = [...channels].filter((channel) => channel !== this && channel.name === this.name);
      for (const other of others) other.dispatchEvent(Object.assign(new Event("message"), { data }));
    }
  });
  const pageOf = (userID) => new OtherPages(() => userID);
  const [own, other] = [pageOf("mia"), pageOf("bert")];
  const exist = async (pages) => {
    const answer = pages.exist();
    await clock.advance(200);
    return answer;
  };
  assert.equal(await exist(own), false);
  pageOf("mia");
  assert.deepEqual([await exist(own), await exist(other)], [true, false]);
});
