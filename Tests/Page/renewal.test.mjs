import { define } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Hub } from "../../Sources/Hub/HubHTTP/web/api.js";
import { Renewal, received } from "../../Sources/Hub/HubHTTP/web/renewal.js";
import { Clock } from "./support/clock.mjs";

/** A hub that accepts one token and gives out another one, while it is willing. */
function hubOf(t) {
  const hub = new Hub();
  const state = { valid: "second", isWilling: true, asked: [], logouts: 0, workers: 0 };
  hub.addEventListener("unauthorized", () => { state.logouts += 1; });
  t.mock.method(globalThis, "fetch", async (path, { headers }) => {
    const token = headers.get("Authorization")?.slice("Bearer ".length);
    state.asked.push(`${token} ${path.split("?")[0]}`);
    if (path !== "v1/token") return new Response("{}", { status: token === state.valid ? 200 : 401 });
    if (!state.isWilling) return new Response("{}", { status: 401 });
    return Response.json({ userID: "mia", accessToken: "second", expiresIn: 60 });
  });
  define(t, "Worker", class extends EventTarget {
    constructor() {
      super();
      state.workers += 1;
      state.tick = () => this.dispatchEvent(new Event("message"));
    }
    postMessage() {}
    terminate() { state.workers -= 1; }
  });
  hub.token = "first";
  return { hub, state, renewal: new Renewal(hub) };
}

test("a refused token is renewed once for all who need it", async (t) => {
  const { hub, state, renewal } = hubOf(t);
  const renewed = [];
  renewal.addEventListener("renewed", ({ detail }) => renewed.push(detail.accessToken));
  renewal.start(received({ accessToken: "first", expiresIn: 60 }));
  await Promise.all([hub.users(), hub.users()]);
  assert.deepEqual(state.asked, [
    "first v1/users", "first v1/users", "first v1/token", "second v1/users", "second v1/users"]);
  assert.deepEqual([renewed, hub.token, state.logouts], [["second"], "second", 0]);
});

test("whoever cannot renew is logged out, once", async (t) => {
  const { hub, state, renewal } = hubOf(t);
  Object.assign(state, { valid: "none", isWilling: false });
  renewal.start(received({ accessToken: "first", expiresIn: 60 }));
  await assert.rejects(hub.users(), { status: 401 });
  assert.deepEqual([state.asked, state.logouts], [["first v1/users", "first v1/token"], 1]);
});

test("a token is renewed after six tenths of its life, or when the clock was set back", async (t) => {
  const clock = new Clock(t);
  clock.now = 1_000_000;
  const { state, renewal } = hubOf(t);
  const renewals = async (advance) => {
    await clock.advance(advance);
    state.tick();
    await clock.advance(0);
    return state.asked.splice(0).length;
  };
  renewal.start(received({ accessToken: "first", expiresIn: 100 }));
  assert.equal(await renewals(60_000), 0);
  assert.equal(await renewals(1), 1);
  // Of the new one's 60 s.
  assert.equal(await renewals(36_000), 0);
  clock.now = 500_000;
  assert.equal(await renewals(0), 1);
});

test("a login that has ended is neither renewed nor ticks", async (t) => {
  const { hub, state, renewal } = hubOf(t);
  renewal.start(received({ accessToken: "first", expiresIn: 60 }));
  renewal.start(received({ accessToken: "first", expiresIn: 60 }));
  const renewing = renewal.renew();
  renewal.stop();
  await renewing;
  assert.deepEqual([hub.token, state.workers], ["first", 0]);
});
