// Puts the page together.

import { Hub } from "./api.js";
import { bindBarMenu } from "./bar-menu.js";
import { CallAgain } from "./call-again.js";
import { CallHistory } from "./call-history.js";
import { CallView } from "./call-view.js";
import { Calls } from "./calls.js";
import { bindCameraChoice } from "./camera-view.js";
import { bindChat } from "./chat-view.js";
import * as credentials from "./credentials.js";
import { DeviceView } from "./device-view.js";
import { byID, notify, setText, showView } from "./dom.js";
import { EventStream } from "./events.js";
import { HomeViews } from "./home-views.js";
import { IncomingView } from "./incoming-view.js";
import { installation } from "./installation.js";
import { InterruptedCall } from "./interrupted-call.js";
import { bindKeys } from "./keys.js";
import { KnownUsers } from "./known-users.js";
import { later } from "./later.js";
import { bindLogin } from "./login-view.js";
import { bindMenu } from "./menu.js";
import { bindMissedBadge } from "./missed-badge.js";
import { NearbyView } from "./nearby-view.js";
import { OtherPages } from "./other-pages.js";
import { Person } from "./person.js";
import { bindPosition } from "./position.js";
import { bindCodeLogin, bindOwnPassword } from "./password-view.js";
import { bindPINQuestion } from "./pin-question.js";
import { Presence } from "./presence.js";
import { Push } from "./push.js";
import { PushView } from "./push-view.js";
import { bindQuality } from "./quality-view.js";
import { Renewal } from "./renewal.js";
import { Router } from "./route.js";
import { Stage } from "./stage.js";
import { addStageViews } from "./stage-views.js";
import { WaitingView } from "./waiting-view.js";
import { WallView } from "./wall-view.js";
import { bindWantedAddress, WantedCall } from "./wanted-call.js";
import { bindWorkerMessages } from "./worker-messages.js";
import { errorText, lostHubText, onlineText, texts, translate } from "./texts.js";

translate();
const hub = new Hub();
/** Who came by an invitation, or null. */
let guest = null;
const renewal = new Renewal(hub, () => (guest ? guest.obtain() : hub.renewToken()));
const events = new EventStream(hub);
const calls = new Calls(hub, events, () => person.login?.userID);
const presence = new Presence(hub, events, calls);
const rights = { isOperator: () => person.login?.role === "operator" };
const known = new KnownUsers(hub, events, () => ({ position: presence.position, within: byID("within").value }));
const nearby = new NearbyView(known, rights);
const deviceView = new DeviceView(known, rights);
const wallView = new WallView({ hub, calls, known, ...rights });
const map = later(loadMap);
const home = new HomeViews({ wall: wallView, map: { show: () => map.open(), hide: () => map.close() } });
const router = new Router();
const stage = new Stage(router, { findUser: (id) => known.get(id), onAbsent: () => leaveRoute(texts.list.absent) });
const callHistory = new CallHistory(hub, events);
const interruptedCall = new InterruptedCall(({ party, wanted, sent }) => calls.place(party, { wanted, sent }));
const otherPages = new OtherPages(() => person.login?.userID);
const callView = new CallView(rights.isOperator);
const callAgain = new CallAgain(({ party, wanted, sent }) => calls.place(party, { wanted, sent }));
const incomingView = new IncomingView(show);
const waitingView = new WaitingView();
const push = new Push(hub);
const pushView = new PushView(push, () => person.save());
const wantedCall = new WantedCall({ hub, events, calls, onAnswer: (call) => incomingView.answer(call) });
const person = new Person({
  hub, renewal, events, calls, presence, known, push, pushView, callHistory, callView, interruptedCall, otherPages,
  onEnter: showHome, onLeave: hideHome,
});

/** What the buttons of the list mean: what the call carries, and what this side gives. */
const media = {
  video: { wanted: { audio: true, video: true }, sent: { audio: true, video: true } },
  audio: { wanted: { audio: true, video: false }, sent: { audio: true, video: false } },
  watch: { wanted: { audio: true, video: true }, sent: { audio: false, video: false } },
};

function showHome({ role }) {
  showView("home");
  byID("administration-open").hidden = role !== "operator";
  const hasAccount = role === "operator" || role === "user";
  byID("calls-open").hidden = !hasAccount;
  byID("settings-password").hidden = !hasAccount;
  stage.start();
  deviceView.follow(router.current);
  arrangeStage();
}

function hideHome(text) {
  stage.stop();
  home.setFree(false);
  for (const view of [wallView, map.loaded]) view?.clear();
  showHubState("off", "");
  showView("login");
  setText(byID("login-error"), wantedCall.isPending ? texts.login.toAnswer : text);
  byID("login-title").focus();
}

async function openInvitation(code) {
  try {
    const { startGuest } = await import("./guest-page.js");
    const onCall = (user, kind) => calls.place(user, media[kind] ?? media.audio);
    guest = startGuest(code, { hub, events, calls, renewal, presence, onCall, onOver: () => showHubState("off", "") });
  } catch (error) {
    notify(errorText(error));
  }
}

function showHubState(state, text) {
  byID("hub-state").dataset.state = state;
  byID("hub-state").textContent = text;
}

function began(call) {
  call.addEventListener("state", () => {
    setBusy(calls.isBusy);
    known.learn(call);
  });
  setBusy(true);
  interruptedCall.close();
  if (call.isCaller) show(call);
  else incomingView.ask(call);
}

function setBusy(isBusy) {
  nearby.setBusy(isBusy);
  stageViews.setBusy(isBusy);
  deviceView.setBusy(isBusy);
}

/** The wall or the map shows while neither a call nor anything that has an address does. */
function arrangeStage() {
  home.setFree(person.login !== null && byID("call").hidden && router.current.view === "wall");
}

/** A device's page waits behind a call until it is over, or until something of the device is chosen. */
function coverDevice() {
  byID("device").toggleAttribute("data-covered", !byID("call").hidden);
  for (const video of byID("device").querySelectorAll("video")) video.pause();
  arrangeStage();
}

function show(call) {
  callView.follow(call);
  callAgain.follow(call);
}

function chosen({ user, action }) {
  if (action === "invite") return router.go({ view: "administration", id: "invitations", filter: user.userID });
  if (Object.hasOwn(media, action)) return calls.place(user, media[action]);
  return router.go({ view: "devices", id: user.userID, part: action === "archives" ? "recordings" : action });
}

/** The address leads to nothing that could show. */
function leaveRoute(text = "") {
  if (text) notify(text);
  router.go({ view: "wall" }, { isReplacing: true });
}

/** What was chosen in a notification, or the address that it opens. */
function want(wanted) {
  wantedCall.want(wanted);
  if (!person.login) setText(byID("login-error"), texts.login.toAnswer);
}

function moved(position) {
  presence.move(position);
  known.refresh();
}

async function loadMap() {
  const view = new (await import("./map-view.js")).MapView({ known, ownPosition: () => presence.position });
  view.addEventListener("open", ({ detail: user }) => router.go({ view: "devices", id: user.userID }));
  return { open: () => view.show(), close: () => view.hide(), clear: () => view.clear() };
}

const stageViews = addStageViews(stage, {
  hub, router, known, calls, callHistory, callView, ...rights, login: () => person.login,
  place: (party, name) => calls.place(party, media[name]),
});
bindMissedBadge(callHistory);
byID("calls-open").addEventListener("click", () => router.go({ view: "calls" }));
hub.addEventListener("unauthorized", () => (guest ? guest.obtain().catch(() => {}) : person.loggedOut()));
router.addEventListener("route", ({ detail }) => {
  // An invitation is a page of its own.
  if (guest || detail.view === "guest") location.reload();
});
renewal.addEventListener("renewed", ({ detail }) => {
  if (!guest) person.renewed(detail);
});
events.addEventListener("open", ({ detail }) => showHubState("online", onlineText(detail.isPolled)));
events.addEventListener("lost", ({ detail }) => showHubState("lost", lostHubText(detail.retryAfter)));
events.addEventListener("hello", () => pushView.renew());
events.addEventListener("hello", ({ detail }) => {
  if (!detail.isReset || !calls.isBusy) return;
  notify(texts.bar.hubWasAway);
});
calls.addEventListener("call", ({ detail }) => began(detail));
calls.addEventListener("waiting", () => waitingView.show(calls.waiting));
known.addEventListener("change", () => { if (known.isLoaded) stage.listCame(); });
router.addEventListener("route", () => {
  byID("device").removeAttribute("data-covered");
  deviceView.follow(router.current);
  arrangeStage();
});
callView.addEventListener("visibility", coverDevice);
for (const view of [nearby, deviceView]) view.addEventListener("choose", ({ detail }) => chosen(detail));
bindMenu();
bindBarMenu();
byID("log-out").addEventListener("click", () => person.logOut());
byID("settings-open").addEventListener("click", () => router.go({ view: "settings" }));
byID("administration-open").addEventListener("click", () => router.go({ view: "administration" }));
addEventListener("pagehide", () => {
  if (calls.isBusy && person.login && calls.current.state !== "offered") {
    interruptedCall.note(calls.current, person.login.userID);
  }
  calls.hangUp({ isLeaving: true });
});
for (const bind of [bindLogin, bindCodeLogin]) {
  bind(hub, (newLogin) => {
    person.enter(newLogin);
    nearby.focus();
  });
}
bindOwnPassword(hub, (newLogin, clientToken) => person.changedPassword(newLogin, clientToken));
bindPINQuestion();
bindCameraChoice();
bindQuality();
bindChat();
bindKeys();
bindPosition(moved);

bindWorkerMessages({
  "call.wanted": want,
  "call.notified": ({ sessionID }) => incomingView.notified(sessionID),
  "event.wanted": ({ deviceID, eventID }) => router.go({ view: "devices", id: deviceID, part: "events", item: eventID }),
  "push.changed": () => {
    push.start(person.login?.userID ?? null);
    pushView.renew();
  },
});

if (router.current.view === "guest") {
  openInvitation(router.current.id ?? "");
} else {
  const restored = credentials.restore();
  if (restored) person.enter(restored);
  bindWantedAddress(want);
}
installation();
