import { deferred, settled } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { KnownUsers } from "../../Sources/Hub/HubHTTP/web/known-users.js";
import { Clock } from "./support/clock.mjs";

const door = { userID: "door", userTitle: "Door", kind: "device", status: "available" };
const mia = { userID: "mia", userTitle: "Mia", kind: "person", status: "available" };

const noDirectory = async () => { throw Object.assign(new Error(), { status: 404 }); };

function usersOf(t, { devices = noDirectory, within = "" } = {}) {
  const [clock, lists, failures, scope] = [new Clock(t), [], [], { position: null, within }];
  const users = () => {
    lists.push(deferred());
    return lists.at(-1).promise;
  };
  const events = new EventTarget();
  const known = new KnownUsers({ users, devices }, events, () => scope);
  known.addEventListener("failure", ({ detail }) => failures.push(detail.message));
  const come = async (...items) => {
    known.refresh();
    lists.at(-1).resolve({ items });
    await settled();
  };
  const statuses = () => Object.fromEntries(known.all().map(({ userID, status }) => [userID, status]));
  return { clock, events, lists, failures, known, scope, come, statuses };
}

test("a list that failed is no news once a later one is shown", async (t) => {
  const { lists, failures, known } = usersOf(t);
  known.refresh();
  known.refresh();
  lists[1].resolve({ items: [door] });
  await settled();
  lists[0].reject(new Error("late"));
  await settled();
  assert.deepEqual([failures, known.isLoaded], [[], true]);
  known.refresh();
  lists[2].reject(new Error("new"));
  await settled();
  assert.deepEqual([failures, known.get("door").userTitle], [["new"], "Door"]);
});

test("after the end neither lists nor failures come in, and nothing runs", async (t) => {
  const { clock, events, lists, failures, known } = usersOf(t);
  known.start();
  events.dispatchEvent(new Event("presence"));
  known.refresh();
  known.stop();
  lists[0].reject(new Error("late"));
  lists[1].resolve({ items: [door] });
  await settled();
  assert.deepEqual([known.all(), failures, clock.timerCount], [[], [], 0]);
});

test("a burst of presence is one request", async (t) => {
  const { clock, events, lists } = usersOf(t);
  for (let count = 0; count < 20; count += 1) events.dispatchEvent(new Event("presence"));
  await clock.advance(1_000);
  assert.equal(lists.length, 1);
});

test("a device that goes stays, offline since then; a person does not", async (t) => {
  const { come, known, statuses, clock } = usersOf(t);
  await come(door, mia);
  await clock.advance(5_000);
  await come();
  assert.deepEqual([statuses(), known.get("door").lastSeen], [{ door: "offline" }, 5_000]);
  await clock.advance(5_000);
  await come();
  assert.equal(known.get("door").lastSeen, 5_000);
  await come(door);
  assert.deepEqual(statuses(), { door: "available" });
});

test("who is out of the distance that was asked for is left out, not offline", async (t) => {
  const { come, scope, statuses } = usersOf(t);
  await come(door);
  scope.within = "1km";
  await come();
  assert.deepEqual(statuses(), {});
});

test("the hub's directory has devices that were not seen here, and their groups; not those that are disabled", async (t) => {
  const asked = [];
  const devices = async () => {
    asked.push(1);
    return { items: [{ id: "door", title: "Door", groups: ["north"], isDisabled: false },
      { id: "gate", title: "Gate", groups: [], isDisabled: false, lastSeen: 7 }, { id: "old", title: "Old", isDisabled: true }] };
  };
  const { come, known, statuses, clock } = usersOf(t, { devices });
  await come(door);
  assert.deepEqual([statuses(), known.get("gate").lastSeen, known.get("door").groups],
    [{ door: "available", gate: "offline" }, 7, ["north"]]);
  await come(door);
  assert.equal(asked.length, 1);
  await clock.advance(60_000);
  await come(door);
  assert.equal(asked.length, 2);
});

test("a device that is online for others alone is not shown as offline; one that has gone here is, whatever the directory says",
  async (t) => {
    const devices = async () => ({ items: [{ id: "door", title: "Door", groups: ["north"], isDisabled: false, isOnline: true },
      { id: "depot", title: "Depot", groups: ["south"], isDisabled: false, isOnline: true }] });
    const { come, statuses } = usersOf(t, { devices });
    await come(door);
    assert.deepEqual(statuses(), { door: "available" });
    await come();
    await come();
    assert.deepEqual(statuses(), { door: "offline" });
  });

test("a hub that shows no directory is asked once", async (t) => {
  let asked = 0;
  const devices = async () => {
    asked += 1;
    throw Object.assign(new Error(), { status: 403 });
  };
  const { come, clock, statuses } = usersOf(t, { devices });
  await come(door);
  await clock.advance(600_000);
  await come(door);
  assert.deepEqual([asked, statuses()], [1, { door: "available" }]);
});

test("while the event stream is down nobody's state is known, but who was offline is", async (t) => {
  const { come, events, statuses } = usersOf(t);
  await come(door, mia);
  await come(mia);
  events.dispatchEvent(new Event("lost"));
  assert.deepEqual(statuses(), { mia: "unknown", door: "offline" });
});
