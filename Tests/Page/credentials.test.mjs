import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import * as credentials from "../../Sources/Hub/HubHTTP/web/credentials.js";

/** Storages as `make` gives them; what it throws is what a browser that keeps nothing throws upon any access. */
function storages(t, make) {
  for (const name of ["sessionStorage", "localStorage"]) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { get: () => make(name), configurable: true });
    t.after(() => {
      if (before) Object.defineProperty(globalThis, name, before);
      else delete globalThis[name];
    });
  }
}

function mapStorages(t) {
  const stored = { sessionStorage: new Map(), localStorage: new Map() };
  storages(t, (name) => ({
    getItem: (key) => stored[name].get(key) ?? null,
    setItem: (key, value) => { stored[name].set(key, value); },
    removeItem: (key) => { stored[name].delete(key); },
  }));
  return stored;
}

test("a login is kept for the tab and forgotten with it", (t) => {
  const { localStorage } = mapStorages(t);
  assert.equal(credentials.restore(), null);
  credentials.save({ userID: "mia", accessToken: "secret" });
  assert.deepEqual(credentials.restore(), { userID: "mia", accessToken: "secret" });
  assert.equal(localStorage.size, 0);
  credentials.clear({ userID: "mia" });
  assert.equal(credentials.restore(), null);
});

test("the browser's tokens are those of the last eight titles, in letters of any size", (t) => {
  mapStorages(t);
  for (let count = 0; count < 9; count += 1) credentials.saveClientToken(`User ${count}`, `token ${count}`);
  credentials.saveClientToken("USER 8", "newer");
  assert.equal(credentials.clientToken("user 8"), "newer");
  assert.equal(credentials.clientToken("User 1"), "token 1");
  assert.equal(credentials.clientToken("User 0"), undefined);
});

test("what is stored and makes no sense is nothing", (t) => {
  const { localStorage } = mapStorages(t);
  credentials.saveClientToken("Mia", "token");
  const [key] = localStorage.keys();
  for (const text of ["{", "null", "{\"title\":\"mia\"}", "[null]", "[{\"token\":\"x\"}]"]) {
    localStorage.set(key, text);
    assert.equal(credentials.clientToken("Mia"), undefined, text);
    credentials.saveClientToken("Mia", "token");
    assert.equal(credentials.clientToken("Mia"), "token");
  }
});

test("without storage one can log in all the same", (t) => {
  storages(t, () => { throw new DOMException("denied", "SecurityError"); });
  assert.equal(credentials.restore(), null);
  assert.equal(credentials.clientToken("Mia"), undefined);
  credentials.save({ userID: "mia" });
  credentials.saveClientToken("Mia", "token");
  credentials.clear({ userID: "mia" });
});
