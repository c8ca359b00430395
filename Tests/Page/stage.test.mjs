import "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Stage } from "../../Sources/Hub/HubHTTP/web/stage.js";

class FakeRouter extends EventTarget {
  current = { view: "wall" };

  go(route) {
    this.current = route;
    this.dispatchEvent(new CustomEvent("route", { detail: route }));
  }
}

/** A stage with the views of a device, what they were asked for, and users who are online. */
function stageOf(t) {
  const byID = makeDocument(t);
  const [router, users, log] = [new FakeRouter(), new Map([["door", { userID: "door" }], ["gate", { userID: "gate" }]]), []];
  const stage = new Stage(router, { findUser: (id) => users.get(id), onAbsent: () => log.push("absent") });
  const add = (part, stays) => stage.add({ view: "devices", part }, {
    show: ({ item = "" }, user) => log.push(`${part} ${user.userID} ${item}`.trim()), hide: () => log.push(`no ${part}`),
    closeButton: `${part}-close`, stays,
  });
  add("events", ["recordings"]);
  add("recordings");
  const taken = () => log.splice(0);
  const go = (id, part, item) => {
    router.go({ view: "devices", id, part, item });
    return taken();
  };
  return { byID, router, stage, users, taken, go };
}

test("events stay below a recording of the same device, and show again without being loaded again", (t) => {
  const { byID, router, stage, taken, go } = stageOf(t);
  stage.start();
  assert.deepEqual(go("door", "events"), ["events door"]);
  assert.deepEqual(go("door", "events"), ["events door"]);
  assert.deepEqual(go("door", "recordings", "a"), ["recordings door a"]);
  assert.deepEqual(go("door", "events"), ["no recordings"]);
  assert.deepEqual(go("door", "recordings", "b"), ["recordings door b"]);
  assert.deepEqual(go("gate", "recordings"), ["no events", "recordings gate"]);
  go("gate", "events");
  go("gate", "recordings", "c");
  byID("recordings-close").click();
  assert.deepEqual([taken(), router.current.part], [["no recordings"], "events"]);
  byID("events-close").click();
  assert.deepEqual([taken(), router.current], [["no events"], { view: "wall" }]);
});

test("what stays below can be closed alone", (t) => {
  const { byID, router, stage, taken, go } = stageOf(t);
  stage.start();
  go("door", "events");
  go("door", "recordings", "a");
  byID("events-close").click();
  assert.deepEqual([taken(), router.current.part], [["no events"], "recordings"]);
  byID("recordings-close").click();
  assert.deepEqual([taken(), router.current], [["no recordings"], { view: "wall" }]);
});

test("an address waits for a login and for the list", (t) => {
  const { stage, users, taken, go } = stageOf(t);
  assert.deepEqual(go("porch", "events"), []);
  stage.start();
  users.set("porch", { userID: "porch" });
  stage.listCame();
  stage.listCame();
  assert.deepEqual(taken(), ["events porch"]);
  users.delete("porch");
  assert.deepEqual(go("porch", "recordings"), []);
  stage.listCame();
  assert.deepEqual(taken(), ["absent"]);
  stage.stop();
  assert.deepEqual(taken(), ["no events", "no recordings"]);
  assert.deepEqual(go("door", "events"), []);
});
