// Puts the page together.

import { Hub } from "./api.js";
import { ArchiveView } from "./archive-view.js";
import { CallView } from "./call-view.js";
import { Calls } from "./calls.js";
import { bindChat } from "./chat-view.js";
import * as credentials from "./credentials.js";
import { byID, notify, setWords, showView } from "./dom.js";
import { EventStream } from "./events.js";
import { IncomingView } from "./incoming-view.js";
import { bindLogin } from "./login-view.js";
import { NearbyView } from "./nearby-view.js";
import { bindPosition } from "./position.js";
import { Presence } from "./presence.js";

const hub = new Hub();
const events = new EventStream(hub);
const calls = new Calls(hub, events, () => login?.userID);
const presence = new Presence(hub, events, calls);
const nearby = new NearbyView(hub, events, () => presence.position);
const archiveView = new ArchiveView(hub);
let login = null;
const callView = new CallView(() => login?.role === "operator");
const incomingView = new IncomingView((call) => callView.follow(call));

/** What the buttons of the list mean: what the call carries, and what this side gives. */
const media = {
  video: { wanted: { audio: true, video: true }, sent: { audio: true, video: true } },
  audio: { wanted: { audio: true, video: false }, sent: { audio: true, video: false } },
  watch: { wanted: { audio: true, video: true }, sent: { audio: false, video: false } },
};

function enter(newLogin) {
  login = newLogin;
  credentials.save(login);
  hub.token = login.accessToken;
  byID("own-title").textContent = login.userTitle;
  showView("home");
  events.start();
  nearby.start();
}

function leave(words) {
  if (!login) return;
  login = null;
  calls.hangUp();
  presence.stop();
  events.stop();
  nearby.stop();
  archiveView.close();
  callView.close();
  credentials.clear();
  hub.token = null;
  showHubState("off", "");
  showView("login");
  setWords(byID("login-error"), words);
  byID("login-title").focus();
}

async function logOut() {
  calls.hangUp();
  await hub.withdrawPresence().catch(() => {});
  leave("");
}

function showHubState(state, words) {
  byID("hub-state").dataset.state = state;
  byID("hub-state").textContent = words;
}

function began(call) {
  call.addEventListener("state", () => nearby.setBusy(calls.isBusy));
  nearby.setBusy(true);
  if (call.isCaller) callView.follow(call);
  else incomingView.ask(call);
}

function chosen({ user, action }) {
  if (action === "archives") return archiveView.open(user);
  archiveView.close();
  calls.place(user, media[action]);
}

function moved(position) {
  presence.move(position);
  nearby.refresh();
}

hub.addEventListener("unauthorized", () => leave("You were logged out. Log in again."));
events.addEventListener("open", () => showHubState("online", "Online"));
events.addEventListener("lost", () => showHubState("lost", "The hub cannot be reached. Trying again …"));
events.addEventListener("hello", ({ detail }) => {
  if (!detail.isReset || !calls.isBusy) return;
  notify("The hub was away for a while. If the call does not go on, hang up and call again.");
});
calls.addEventListener("call", ({ detail }) => began(detail));
nearby.addEventListener("choose", ({ detail }) => chosen(detail));
byID("log-out").addEventListener("click", logOut);
addEventListener("pagehide", () => calls.hangUp({ isLeaving: true }));
bindLogin(hub, enter);
bindChat();
bindPosition(moved);

const restored = credentials.restore();
if (restored) enter(restored);
