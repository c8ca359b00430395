// Puts the page together.

import { Hub } from "./api.js";
import { bindBarMenu } from "./bar-menu.js";
import { CallHistory } from "./call-history.js";
import { Calls } from "./calls.js";
import * as credentials from "./credentials.js";
import { DeviceView } from "./device-view.js";
import { byID, notify, setText, showView } from "./dom.js";
import { EventStream } from "./events.js";
import { HomeViews } from "./home-views.js";
import { installation } from "./installation.js";
import { InterruptedCall } from "./interrupted-call.js";
import { KnownUsers } from "./known-users.js";
import { later } from "./later.js";
import { LayoutView } from "./layout-view.js";
import { bindLogin } from "./login-view.js";
import { bindMenu } from "./menu.js";
import { bindMissedBadge } from "./missed-badge.js";
import { NearbyView } from "./nearby-view.js";
import { Notifications } from "./notifications.js";
import { OtherPages } from "./other-pages.js";
import { Person } from "./person.js";
import { bindPosition } from "./position.js";
import { bindCodeLogin, bindOwnPassword } from "./password-view.js";
import { Presence } from "./presence.js";
import { Push } from "./push.js";
import { PushView } from "./push-view.js";
import { Renewal } from "./renewal.js";
import { Router } from "./route.js";
import { Stage } from "./stage.js";
import { addStageViews } from "./stage-views.js";
import { bindWantedAddress, WantedCall } from "./wanted-call.js";
import { whenIdle } from "./when-idle.js";
import { bindWorkerMessages } from "./worker-messages.js";
import { errorText, lostHubText, onlineText, texts, translate } from "./texts.js";

translate();
const hub = new Hub();
/** Who came by an invitation, or null. */
let guest = null;
const renewal = new Renewal(hub, () => (guest ? guest.obtain() : hub.renewToken()));
const events = new EventStream(hub);
const calls = new Calls(hub, events, () => person.login?.userID, loadCall);
const presence = new Presence(hub, events, calls);
const rights = { isOperator: () => person.login?.role === "operator" };
const known = new KnownUsers(hub, events, () => ({ position: presence.position, within: byID("within").value }));
const nearby = new NearbyView(known, rights);
const deviceView = new DeviceView(known, rights);
const homeViews = { wall: later(loadWall), map: later(loadMap) };
const home = new HomeViews(homeViews);
const router = new Router();
const stage = new Stage(router, { findUser: (id) => known.get(id), onAbsent: () => leaveRoute(texts.list.absent) });
const callHistory = new CallHistory(hub, events);
const interruptedCall = new InterruptedCall(({ party, wanted, sent }) => place(party, { wanted, sent }));
const otherPages = new OtherPages(() => person.login?.userID);
const notifications = new Notifications();
const layout = new LayoutView();
/** What shows calls; null before it is loaded. */
let callPage = null;
const push = new Push(hub);
const pushView = new PushView(push, () => person.save());
const wantedCall = new WantedCall({ hub, events, calls, onAnswer: (call) => callPage.answer(call) });
const person = new Person({
  hub, renewal, events, calls, presence, known, push, pushView, callHistory, interruptedCall, otherPages,
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
  prepareCalls();
}

/** So that a call finds the page ready; what does not come now is asked for again when a call begins. */
function prepareCalls() {
  whenIdle(() => calls.prepare().catch(() => {}));
}

async function loadCall() {
  const { Call, CallPage } = await import("./call-page.js");
  callPage = new CallPage(calls, { ...rights, layout, notifications });
  callPage.addEventListener("visibility", coverDevice);
  return Call;
}

/** Places a call, if none is on. */
function place(party, carried) {
  return calls.place(party, carried).catch((error) => notify(errorText(error)));
}

function hideHome(text) {
  stage.stop();
  home.setFree(false);
  for (const { loaded } of Object.values(homeViews)) loaded?.clear();
  callPage?.close();
  showHubState("off", "");
  showView("login");
  setText(byID("login-error"), wantedCall.isPending ? texts.login.toAnswer : text);
  byID("login-title").focus();
}

async function openInvitation(code) {
  try {
    const { startGuest } = await import("./guest-page.js");
    const onCall = (user, kind) => place(user, media[kind] ?? media.audio);
    guest = startGuest(code, { hub, events, calls, renewal, presence, onCall, onOver: () => showHubState("off", "") });
    prepareCalls();
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
    interruptedCall.setAsking(isInCall());
    known.learn(call);
  });
  setBusy(true);
  interruptedCall.setAsking(isInCall());
  interruptedCall.close();
  callPage.begin(call);
}

/** Whether this page has placed or taken a call that is on. */
function isInCall() {
  return calls.isBusy && calls.current.state !== "offered";
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

function chosen({ user, action }) {
  if (action === "invite") return router.go({ view: "administration", id: "invitations", filter: user.userID });
  if (Object.hasOwn(media, action)) return place(user, media[action]);
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

async function loadWall() {
  const view = new (await import("./wall-view.js")).WallView({ hub, calls, known, ...rights });
  return { open: () => view.show(), close: () => view.hide(), clear: () => view.clear() };
}

async function loadMap() {
  const view = new (await import("./map-view.js")).MapView({ known, ownPosition: () => presence.position });
  view.addEventListener("open", ({ detail: user }) => router.go({ view: "devices", id: user.userID }));
  return { open: () => view.show(), close: () => view.hide(), clear: () => view.clear() };
}

const stageViews = addStageViews(stage, {
  hub, router, known, calls, callHistory, ...rights, login: () => person.login,
  closeCall: () => callPage?.close(), place: (party, name) => place(party, media[name]),
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
calls.addEventListener("failure", ({ detail }) => notify(errorText(detail)));
known.addEventListener("change", () => { if (known.isLoaded) stage.listCame(); });
router.addEventListener("route", () => {
  byID("device").removeAttribute("data-covered");
  deviceView.follow(router.current);
  arrangeStage();
});
for (const view of [nearby, deviceView]) view.addEventListener("choose", ({ detail }) => chosen(detail));
bindMenu();
bindBarMenu();
byID("log-out").addEventListener("click", () => person.logOut());
byID("settings-open").addEventListener("click", () => router.go({ view: "settings" }));
byID("administration-open").addEventListener("click", () => router.go({ view: "administration" }));
addEventListener("pagehide", () => {
  if (isInCall() && person.login) interruptedCall.note(calls.current, person.login.userID);
  calls.hangUp({ isLeaving: true });
});
for (const bind of [bindLogin, bindCodeLogin]) {
  bind(hub, (newLogin) => {
    person.enter(newLogin);
    nearby.focus();
  });
}
bindOwnPassword(hub, (newLogin, clientToken) => person.changedPassword(newLogin, clientToken));
bindPosition(moved);

bindWorkerMessages({
  "call.wanted": want,
  "call.notified": ({ sessionID }) => callPage?.notified(sessionID),
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
