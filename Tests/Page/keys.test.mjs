import { settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { isRepeatable } from "../../Sources/Hub/HubHTTP/web/call-again.js";
import { bindKeys, buttonOf } from "../../Sources/Hub/HubHTTP/web/keys.js";

test("letters are buttons, also capital ones", () => {
  assert.deepEqual([{ key: "m" }, { key: "H" }].map(buttonOf), ["mute-microphone", "hang-up"]);
});

test("other keys are not, nor what an object has anyway", () => {
  const presses = [{ key: "x" }, { key: "toString" }, { key: "Escape" }, { key: "__proto__" }];
  assert.deepEqual(presses.map(buttonOf), [null, null, null, null]);
});

test("nor what the browser, typing or a held key means", () => {
  const field = { closest: (selector) => (selector.includes("input") ? {} : null) };
  const presses = [
    { key: "m", ctrlKey: true }, { key: "m", altKey: true }, { key: "m", metaKey: true }, { key: "h", repeat: true },
    { key: "h", isComposing: true }, { key: "h", target: field },
  ];
  for (const press of presses) assert.equal(buttonOf(press), null);
  assert.equal(buttonOf({ key: "h", target: { closest: () => null } }), "hang-up");
});

test("only a button that can be seen and used is clicked, and its title names the key", async (t) => {
  const byID = makeDocument(t);
  const clicked = [];
  for (const id of ["mute-microphone", "mute-camera", "quality-toggle", "full-screen", "hang-up"]) {
    byID(id).title = id;
    byID(id).getClientRects = () => (id === "full-screen" ? [] : [{}]);
    byID(id).addEventListener("click", () => clicked.push(id));
  }
  byID("mute-camera").disabled = true;
  bindKeys();
  for (const key of ["m", "v", "f", "h", "z"]) {
    document.dispatchEvent(Object.assign(new Event("keydown", { cancelable: true }), { key }));
  }
  await settled();
  assert.deepEqual(clicked, ["mute-microphone", "hang-up"]);
  assert.equal(byID("hang-up").title, "hang-up (H)");
});

test("a call is offered again where a second try may help", () => {
  for (const reason of ["hangup", "unanswered", "busy", undefined]) assert.ok(isRepeatable({ reason }));
  for (const reason of ["not-allowed", "not-verified", "not-acceptable", "glare"]) assert.ok(!isRepeatable({ reason }));
});
