import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { Clock } from "./support/clock.mjs";
import { bindHold, holdTime } from "../../Sources/Hub/HubHTTP/web/hold-button.js";

function buttonOf(t) {
  const [clock, button, done] = [new Clock(t), makeDocument(t)("door"), []];
  bindHold(button, () => done.push("held"), () => done.push("touched"));
  const send = (type, fields) => button.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), fields));
  return { clock, button, done, send };
}

test("a key that is held acts once, and one that is let go before says how", async (t) => {
  const { clock, done, send } = buttonOf(t);
  send("keydown", { key: "Enter" });
  await clock.advance(holdTime / 2);
  send("keydown", { key: "Enter" });
  await clock.advance(holdTime / 2);
  send("keyup", { key: "Enter" });
  assert.deepEqual(done, ["held"]);
  send("keydown", { key: " " });
  send("keyup", { key: " " });
  send("keydown", { key: "a" });
  await clock.advance(holdTime);
  assert.deepEqual(done, ["held", "touched"]);
});

test("a pointer that leaves, a button that is off and other buttons of a mouse do nothing", async (t) => {
  const { clock, button, done, send } = buttonOf(t);
  send("pointerdown", { button: 0 });
  send("pointerleave");
  await clock.advance(holdTime);
  send("pointerdown", { button: 2 });
  await clock.advance(holdTime);
  button.disabled = true;
  send("pointerdown", { button: 0 });
  await clock.advance(holdTime);
  assert.deepEqual(done, []);
});

test("a click without a press acts at once, also after a key has", async (t) => {
  const { clock, button, done, send } = buttonOf(t);
  send("keydown", { key: "Enter" });
  await clock.advance(holdTime);
  send("keyup", { key: "Enter" });
  button.click();
  assert.deepEqual(done, ["held", "held"]);
});
