import { deferred, settled } from "./support/environment.mjs";
import { makeDocument } from "./support/document.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { bindChat, followChat } from "../../Sources/Hub/HubHTTP/web/chat-view.js";
import { Clock } from "./support/clock.mjs";

/** A connected call whose messages wait for the test's answers. */
function makeCall(title) {
  const said = [];
  return Object.assign(new EventTarget(), {
    said, state: "connected", party: { userTitle: title },
    say(text) {
      said.push({ text, ...deferred() });
      return said.at(-1).promise;
    },
  });
}

function chatOf(t) {
  new Clock(t);
  const byID = makeDocument(t);
  bindChat();
  const lineText = ({ children }) => children.map((part) => part.textContent).join(": ");
  const lines = () => byID("chat-lines").children.map(lineText);
  const submit = (text = byID("chat-text").value) => {
    byID("chat-text").value = text;
    byID("chat-form").dispatchEvent(new Event("submit", { cancelable: true }));
  };
  return { byID, lines, submit };
}

test("a message is sent once, and shown when the hub has taken it", async (t) => {
  const { byID, lines, submit } = chatOf(t);
  const call = makeCall("Mia");
  followChat(call);
  submit("  hello ");
  // Enter a second time.
  submit();
  await settled();
  assert.deepEqual([call.said.map(({ text }) => text), lines()], [["hello"], []]);
  byID("chat-text").value = "the next";
  call.said[0].resolve();
  await settled();
  assert.deepEqual([lines(), byID("chat-text").value], [["You: hello"], "the next"]);
});

test("a message that was not sent is there to be sent again", async (t) => {
  const { byID, lines, submit } = chatOf(t);
  const call = makeCall("Mia");
  followChat(call);
  submit("hello");
  await settled();
  call.said[0].reject(Object.assign(new Error("busy"), { status: 429 }));
  await settled();
  assert.deepEqual([lines(), byID("chat-text").value], [[], "hello"]);
  assert.match(byID("notice").textContent, /Too many requests/);
});

test("messages keep their order", async (t) => {
  const { lines, submit } = chatOf(t);
  const call = makeCall("Mia");
  followChat(call);
  for (const text of ["one", "two"]) submit(text);
  await settled();
  assert.deepEqual(call.said.map(({ text }) => text), ["one"]);
  call.said[0].resolve();
  await settled();
  call.said[1].resolve();
  await settled();
  assert.deepEqual(lines(), ["You: one", "You: two"]);
});

test("what belonged to one call is not shown in the next", async (t) => {
  const { byID, lines, submit } = chatOf(t);
  const [call, next] = [makeCall("Mia"), makeCall("Bert")];
  followChat(call);
  for (const text of ["to Mia", "also to Mia"]) submit(text);
  await settled();
  followChat(next);
  byID("chat-text").value = "to Bert";
  call.said[0].resolve();
  await settled();
  call.said.at(-1).reject(new Error("over"));
  await settled();
  for (const from of [call, next]) {
    from.dispatchEvent(new CustomEvent("signal", { detail: { type: "chat", data: "hi" } }));
  }
  assert.deepEqual([lines(), byID("chat-text").value], [["Bert: hi"], "to Bert"]);
});

test("what is too long, empty or has no reader is not sent", async (t) => {
  const { byID, submit } = chatOf(t);
  const call = makeCall("Mia");
  followChat(call);
  submit("ä".repeat(4_097));
  assert.match(byID("notice").textContent, /too long/);
  submit("   ");
  call.state = "ended";
  call.dispatchEvent(new Event("state"));
  submit("hello");
  await settled();
  assert.deepEqual([call.said.length, byID("chat-text").disabled], [0, true]);
});
