import { define } from "./support/environment.mjs";
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";

define(test, "location", new URL("https://hub.example.org/"));
const { Guest, isOver } = await import("../../Sources/Hub/HubHTTP/web/guest.js");
const { keptKey } = await import("../../Sources/Hub/HubHTTP/web/guest-key.js");

/** As much of IndexedDB as one store of keys takes. */
function browser(t) {
  const kept = new Map();
  const done = (result) => {
    const request = new EventTarget();
    request.result = result;
    queueMicrotask(() => request.dispatchEvent(new Event("success")));
    return request;
  };
  const keys = {
    get: (id) => done(kept.get(id)), put: (value, id) => done(kept.set(id, value) && id), delete: (id) => done(void kept.delete(id)),
    getAllKeys: () => done([...kept.keys()]), getAll: () => done([...kept.values()]),
  };
  const database = { transaction: () => ({ objectStore: () => keys }), close() {} };
  define(t, "indexedDB", { open: () => done(database) });
  return kept;
}

/** A hub with one invitation, which the first key gets. */
function hubOf({ state = "open", losesFirstAnswer = false } = {}) {
  const hub = { state, key: null, asked: [], isLosing: losesFirstAnswer };
  hub.checkInvitation = async () => ({ state: hub.state, challenge: `challenge ${hub.asked.length}` });
  hub.redeemInvitation = async (redemption) => {
    hub.asked.push(redemption);
    const { key, challenge, proof } = redemption;
    if (key) hub.key ??= key;
    const expected = createHmac("sha256", Buffer.from(hub.key, "base64url")).update(challenge ?? "").digest("base64url");
    if (key ? key !== hub.key : proof !== expected) throw Object.assign(new Error(), { status: 409, type: "invitation-used" });
    hub.state = "used";
    if (hub.isLosing) {
      hub.isLosing = false;
      throw new Error("no answer");
    }
    return { userID: "guest-1", accessToken: "token", expiresIn: 900 };
  };
  return hub;
}

test("the first use sends a key, later ones a proof of it, also after a reload", async (t) => {
  browser(t);
  const hub = hubOf();
  const guest = new Guest(hub, "code");
  await guest.look();
  assert.equal(guest.isOwn, false);
  assert.equal((await guest.enter()).accessToken, "token");
  assert.equal((await guest.obtain()).accessToken, "token");
  const reloaded = new Guest(hub, "code");
  await reloaded.look();
  assert.equal(reloaded.isOwn, true);
  assert.equal((await reloaded.enter()).accessToken, "token");
  assert.deepEqual(hub.asked.map(({ key, proof }) => [Boolean(key), Boolean(proof)]), [[true, false], [false, true], [false, true]]);
});

test("no script can read the key that is kept", async (t) => {
  browser(t);
  await new Guest(hubOf(), "code").enter();
  const key = await keptKey("code");
  assert.equal(key.extractable, false);
  await assert.rejects(crypto.subtle.exportKey("raw", key));
  assert.equal(await keptKey("another code"), null);
});

test("an answer that is lost costs nothing", async (t) => {
  browser(t);
  const hub = hubOf({ losesFirstAnswer: true });
  assert.equal((await new Guest(hub, "code").enter()).accessToken, "token");
  assert.equal(hub.asked.length, 2);
});

test("another browser is refused, and keeps no key", async (t) => {
  const hub = hubOf();
  browser(t);
  await new Guest(hub, "code").enter();
  const kept = browser(t);
  const other = new Guest(hub, "code");
  await other.look();
  await assert.rejects(other.enter(), { type: "invitation-used" });
  assert.equal(kept.size, 0);
});

test("what the hub revokes is over", async (t) => {
  browser(t);
  const hub = hubOf();
  const guest = new Guest(hub, "code");
  await guest.enter();
  const over = [];
  guest.addEventListener("over", ({ detail }) => over.push(detail.type));
  hub.state = "revoked";
  await assert.rejects(guest.obtain(), { type: "invitation-revoked" });
  assert.deepEqual(over, ["invitation-revoked"]);
  assert.deepEqual([{ status: 404 }, { type: "invitation-used" }, { status: 503, type: "overloaded" }, new Error()].map(isOver),
    [true, true, false, false]);
});
