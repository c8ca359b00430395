// The text chat of the call that is on.

import { byID, notify } from "./dom.js";
import { errorText } from "./texts.js";
import { chatText, texts } from "./view-texts.js";
import { Turns } from "./turns.js";

/** The hub's limit for one signal, in bytes of UTF-8. */
const maximumBytes = 8 * 1024;

let call = null;
/** The call's messages, which keep their order. */
let turns = null;

export function bindChat() {
  byID("chat-form").addEventListener("submit", (event) => {
    event.preventDefault();
    send(byID("chat-text").value.trim());
  });
}

/** Empties the chat and follows `next`. */
export function followChat(next) {
  call = next;
  turns = new Turns();
  byID("chat-lines").replaceChildren();
  byID("chat-text").value = "";
  next.addEventListener("signal", ({ detail }) => {
    if (next === call && detail.type === "chat") addLine("theirs", next.party.userTitle, detail.data);
  });
  next.addEventListener("state", () => {
    if (next === call) enable();
  });
  enable();
}

async function send(text) {
  if (!text || !call || chatText(call)) return;
  if (new TextEncoder().encode(text).length > maximumBytes) return notify(texts.chat.tooLong);
  const own = call;
  byID("chat-text").value = "";
  try {
    await turns.take(() => own.say(text));
    if (own === call) addLine("ours", texts.chat.you, text);
  } catch (error) {
    if (own === call) notSent(text, error);
  }
}

/** The text is there to be sent again, unless the person writes another one already. */
function notSent(text, error) {
  byID("chat-text").value ||= text;
  notify(errorText(error));
}

function addLine(side, who, text) {
  const line = document.createElement("li");
  line.className = side;
  const name = document.createElement("span");
  name.className = "from";
  name.textContent = who;
  const message = document.createElement("span");
  message.className = "text";
  message.textContent = text;
  line.append(name, message);
  byID("chat-lines").append(line);
  line.scrollIntoView({ block: "nearest" });
}

/** There is no reader before the call is answered, or after it. */
function enable() {
  const obstacle = chatText(call);
  byID("chat-text").placeholder = obstacle || texts.chat.message;
  byID("chat-text").disabled = byID("chat-send").disabled = obstacle !== "";
}
