import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Hub, ProblemError, UnreachableError } from "../../Sources/Hub/HubHTTP/web/api.js";
import { Clock } from "./support/clock.mjs";

/** Answers each request by `answer(path, options)`; returns the requests as they come. */
function answerWith(t, answer) {
  const requests = [];
  t.mock.method(globalThis, "fetch", (path, options) => {
    requests.push({ path, ...options });
    return answer(path, options);
  });
  return requests;
}

/** A request that only its signal ends. */
function hanging(path, { signal }) {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

const problem = (status, body, headers) => new Response(body, { status, headers });

test("each request ends in time, those that a device answers later, a poll later still", async (t) => {
  const clock = new Clock(t);
  answerWith(t, hanging);
  const hub = new Hub();
  const asked = {
    login: () => hub.login("a", "b"), users: () => hub.users(), answer: () => hub.tellSession("1", "answer"),
    withdraw: () => hub.withdrawPresence("stream"), archives: () => hub.archives("door"),
    image: () => hub.eventImage("door", "1"), snapshot: () => hub.snapshot("door"),
    recording: () => hub.recordManually("door"), poll: () => hub.pollEvents("", ""),
  };
  const times = {};
  for (const [name, ask] of Object.entries(asked)) {
    ask().catch((error) => { times[name] = [error.name, clock.now]; });
  }
  await clock.advance(60_000);
  const [own, device] = [["TimeoutError", 15_000], ["TimeoutError", 25_000]];
  assert.deepEqual(times, {
    login: own, users: own, answer: own, withdraw: own,
    archives: device, image: device, snapshot: device, recording: device, poll: ["TimeoutError", 23_000],
  });
});

test("streams and files end when their signal says so", async (t) => {
  answerWith(t, hanging);
  const stop = new AbortController();
  const hub = new Hub();
  const waiting = [hub.events("", stop.signal), hub.archiveFile("door", "1", "a.webm", { signal: stop.signal })];
  stop.abort();
  for (const { reason } of await Promise.allSettled(waiting)) assert.equal(reason.name, "AbortError");
});

test("names are escaped, and the token is in its header alone", async (t) => {
  const requests = answerWith(t, async () => Response.json({}));
  const hub = new Hub();
  hub.token = "secret";
  await hub.archiveManifest("a/b?c", "../x#y");
  await hub.tellSession("1/2", "reject", { reason: "busy" });
  await hub.login("Mia", "pass");
  assert.deepEqual(requests.map(({ path }) => path),
    ["v1/users/a%2Fb%3Fc/archives/..%2Fx%23y", "v1/sessions/1%2F2/reject", "v1/login"]);
  const tokens = requests.map(({ headers }) => headers.get("Authorization"));
  assert.deepEqual(tokens, ["Bearer secret", "Bearer secret", null]);
  assert.equal(requests[1].body, "{\"reason\":\"busy\"}");
  assert.ok(requests.every(({ credentials, cache }) => credentials === "omit" && cache === "no-store"));
});

test("accounts are read page by page", async (t) => {
  const pages = {
    "v1/accounts": { count: 3, items: [{ id: "1" }, { id: "2" }], next: "Tür & Tor" },
    "v1/accounts?after=T%C3%BCr%20%26%20Tor": { count: 3, items: [{ id: "3" }] },
  };
  const requests = answerWith(t, (path) => new Response(JSON.stringify(pages[path]), { headers: { "Content-Type": "application/json" } }));
  assert.deepEqual(await new Hub().accounts(), { count: 3, items: [{ id: "1" }, { id: "2" }, { id: "3" }] });
  assert.equal(requests.length, 2);
});

test("a refusal is a problem, whatever its body", async (t) => {
  const hub = new Hub();
  const refused = async (...response) => {
    t.mock.restoreAll();
    answerWith(t, async () => problem(...response));
    return hub.users().catch((error) => error);
  };
  const document = JSON.stringify({ type: "rate-limited", title: "Too many", status: 1 });
  const busy = await refused(429, document, { "Retry-After": "7" });
  assert.ok(busy instanceof ProblemError);
  assert.deepEqual([busy.type, busy.status, busy.message, busy.retryAfter], ["rate-limited", 429, "Too many", 7]);
  for (const body of ["<html>", "", "null", "[]", "5"]) {
    const error = await refused(502, body);
    assert.deepEqual([error.type, error.status, error.retryAfter], ["about:blank", 502, null], body);
  }
  for (const value of ["-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT", "9999999"]) {
    assert.equal((await refused(503, "{}", { "Retry-After": value })).retryAfter, null);
  }
});

test("no hub at all is another error", async (t) => {
  answerWith(t, async () => { throw new TypeError("fetch failed"); });
  await assert.rejects(new Hub().users(), UnreachableError);
});
