import { settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { ActionsView } from "../../Sources/Hub/HubHTTP/web/actions-view.js";
import { bindPINQuestion } from "../../Sources/Hub/HubHTTP/web/pin-question.js";
import { Clock } from "./support/clock.mjs";

/** A call with a device, and what it is asked for. */
function makeCall() {
  const asked = [];
  const call = Object.assign(new EventTarget(), {
    asked, isWithDevice: true, isOver: false,
    async requestAction(name, pin) { asked.push([name, pin]); },
  });
  call.signal = (type, content) => {
    const data = typeof content === "string" ? content : JSON.stringify(content);
    call.dispatchEvent(new CustomEvent("signal", { detail: { type, data } }));
  };
  return call;
}

function viewOf(t) {
  const clock = new Clock(t);
  const byID = makeDocument(t);
  bindPINQuestion();
  const view = new ActionsView("device-actions");
  const buttons = () => byID("device-actions").children;
  const submit = async (pin) => {
    byID("pin").value = pin;
    byID("pin-form").dispatchEvent(new Event("submit", { cancelable: true }));
    await settled();
  };
  return { clock, byID, buttons, submit, followActions: (call) => view.follow(call) };
}

const door = { actions: [{ name: "open-door", needsPIN: false }, { name: "disarm", needsPIN: true }] };

test("an action's button is back with the result, and after 10 s without one", async (t) => {
  const { clock, byID, buttons, followActions } = viewOf(t);
  const call = makeCall();
  followActions(call);
  call.signal("actions", door);
  const [button] = buttons();
  assert.equal(button.textContent, "Open door");
  button.click();
  assert.equal(button.disabled, true);
  await clock.advance(9_999);
  assert.equal(button.disabled, true);
  await clock.advance(1);
  assert.equal(button.disabled, false);
  button.click();
  call.signal("action.result", { name: "open-door", isDone: true });
  assert.deepEqual([button.disabled, byID("notice").textContent], [false, "Open door: done."]);
});

test("an earlier click's time is not a later one's", async (t) => {
  const { clock, buttons, followActions } = viewOf(t);
  const call = makeCall();
  followActions(call);
  call.signal("actions", door);
  const [button] = buttons();
  button.click();
  await clock.advance(6_000);
  call.signal("action.result", { name: "open-door", isDone: true });
  button.click();
  await clock.advance(9_999);
  assert.equal(button.disabled, true);
  await clock.advance(1);
  assert.equal(button.disabled, false);
});

test("what a device has said before is offered at once", (t) => {
  const { buttons, followActions } = viewOf(t);
  const call = Object.assign(makeCall(), { offeredActions: JSON.stringify(door) });
  followActions(call);
  assert.equal(buttons().length, 2);
  followActions(null);
  assert.equal(buttons().length, 0);
});

test("a PIN is sent once and not kept, and asked for until it is right", async (t) => {
  const { byID, buttons, submit, followActions } = viewOf(t);
  const call = makeCall();
  followActions(call);
  call.signal("actions", door);
  buttons()[1].click();
  await submit("1234");
  assert.deepEqual([call.asked, byID("pin").value, byID("pin").disabled], [[["disarm", "1234"]], "", true]);
  call.signal("action.result", { name: "disarm", isDone: false, reason: "wrong-pin" });
  assert.deepEqual([byID("pin-dialog").open, byID("pin").disabled], [true, false]);
  assert.equal(byID("pin-message").textContent, "Disarm: the PIN is wrong.");
  await submit("4321");
  call.signal("action.result", { name: "disarm", isDone: true });
  assert.deepEqual([byID("pin-dialog").open, byID("notice").textContent], [false, "Disarm: done."]);
});

test("a result that comes when its question has been closed is told all the same", async (t) => {
  const { byID, buttons, submit, followActions } = viewOf(t);
  const call = makeCall();
  followActions(call);
  call.signal("actions", door);
  buttons()[1].click();
  await submit("1");
  byID("pin-cancel").click();
  call.signal("action.result", { name: "disarm", isDone: false, reason: "wrong-pin" });
  assert.deepEqual([byID("pin-dialog").open, byID("notice").textContent], [false, "Disarm: the PIN is wrong."]);
});

test("a prominent action is done when its button has been held for a second", async (t) => {
  const { clock, byID, buttons, followActions } = viewOf(t);
  const call = makeCall();
  followActions(call);
  call.signal("actions", { actions: [{ name: "open-door", needsPIN: false, isProminent: true }] });
  const [button] = buttons();
  const pointer = (type) => button.dispatchEvent(Object.assign(new Event(type), { button: 0 }));
  assert.equal(button.className, "prominent");
  pointer("pointerdown");
  await clock.advance(999);
  pointer("pointerup");
  button.click();
  await clock.advance(5_000);
  assert.deepEqual([call.asked, byID("notice").textContent], [[], "Open door: hold the button for a second."]);
  pointer("pointerdown");
  await clock.advance(1_000);
  pointer("pointerup");
  button.click();
  assert.deepEqual(call.asked, [["open-door", undefined]]);
});

test("a program that clicks and cannot hold is obeyed", (t) => {
  const { buttons, followActions } = viewOf(t);
  const call = makeCall();
  followActions(call);
  call.signal("actions", { actions: [{ name: "open-door", needsPIN: false, isProminent: true }] });
  buttons()[0].click();
  assert.deepEqual(call.asked, [["open-door", undefined]]);
});

test("the end of a call takes its buttons and its question away, and an earlier call adds none", async (t) => {
  const { byID, buttons, submit, followActions } = viewOf(t);
  const [call, next] = [makeCall(), makeCall()];
  followActions(call);
  call.signal("actions", door);
  buttons()[1].click();
  followActions(next);
  assert.deepEqual([buttons().length, byID("pin-dialog").open], [0, false]);
  call.signal("actions", door);
  assert.equal(buttons().length, 0);
  next.signal("actions", door);
  next.isOver = true;
  next.dispatchEvent(new Event("state"));
  assert.equal(buttons().length, 0);
});

test("what is no list of actions has no buttons, and a person has none", (t) => {
  const { buttons, followActions } = viewOf(t);
  const call = makeCall();
  followActions(call);
  for (const data of ["{", "null", { actions: 5 }, { actions: "open" }, { actions: {} }, { actions: [null, 5] }]) {
    call.signal("actions", door);
    assert.equal(buttons().length, 2);
    call.signal("actions", data);
    assert.equal(buttons().length, 0);
  }
  call.signal("actions", { actions: Array.from({ length: 99 }, (_, index) => ({ name: `a${index}` })) });
  assert.equal(buttons().length, 32);
  const person = Object.assign(makeCall(), { isWithDevice: false });
  followActions(person);
  person.signal("actions", door);
  assert.equal(buttons().length, 0);
});
