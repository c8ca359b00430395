// Notifications of calls that the hub pushes, and what a click on them does.

/** The most of a caller's title that is shown. */
const maximumTitle = 128;
/** A quiet notification is there because a push must show one, and closes by itself after so long, in milliseconds. */
const quietTime = 4_000;
/** How many ended calls are remembered, for pushes that arrive in the wrong order. */
const maximumEnded = 32;

/** What has become of calls, by session id. */
const endedCalls = new Map();

const pushes = { __proto__: null, "call.incoming": showIncoming, "call.ended": showEnded };

async function showPush(data) {
  const message = readMessage(data);
  if (message?.kind === "device.event") return showEvent(message);
  const push = readCall(message);
  const show = push && pushes[push.kind];
  await (show ? show(push) : showUnknown(message));
}

/** Of a newer hub, or of no hub: a push has to show something. */
function showUnknown(message) {
  return showQuietly("LiveSessions", { body: textsIn(message?.language).unknownPush, tag: "push" });
}

function readMessage(data) {
  try {
    return data.json();
  } catch {
    return null;
  }
}

/** The hub's message about a call, its parts of the right types; null for anything else. */
function readCall(push) {
  if (!isSessionID(push?.sessionID)) return null;
  const texts = textsIn(push.language);
  const title = typeof push.callerTitle === "string" ? push.callerTitle.trim().slice(0, maximumTitle) : "";
  return { ...push, texts, caller: title || texts.unknownCaller };
}

/** It goes into an address. */
function isSessionID(text) {
  return typeof text === "string" && /^[0-9a-f-]{36}$/i.test(text);
}

async function showIncoming(push) {
  const outcome = endedCalls.get(push.sessionID) ?? (push.expiresAt <= Date.now() ? "missed" : null);
  if (outcome) return showEnded({ ...push, outcome });
  const { texts, caller, sessionID } = push;
  await show(texts.incoming(caller), {
    body: push.isVideo ? texts.video : texts.audio, tag: sessionID, renotify: true, requireInteraction: true,
    vibrate: [400, 200, 400, 600, 400, 200, 400], data: { sessionID },
    actions: [{ action: "answer", title: texts.answer }, { action: "decline", title: texts.decline }],
  });
  await tellPages({ kind: "call.notified", sessionID });
}

/** Replaces the notification of the call. */
async function showEnded({ texts, caller, sessionID, outcome }) {
  rememberEnd(sessionID, outcome);
  if (outcome === "missed") return show(texts.missed(caller), { tag: sessionID, data: {} });
  await showQuietly(outcome === "answered" ? texts.answered(caller) : texts.ended(caller), { tag: sessionID });
}

function rememberEnd(sessionID, outcome) {
  endedCalls.set(sessionID, outcome);
  if (endedCalls.size > maximumEnded) endedCalls.delete(endedCalls.keys().next().value);
}

function show(title, options) {
  return registration.showNotification(title, { icon: "icon-192.png", badge: "badge-96.png", ...options });
}

/** The browser looks for a notification when the push has been handled: this one is closed a little later. */
async function showQuietly(title, options) {
  await show(title, { ...options, silent: true, data: { isQuiet: true } });
  setTimeout(async () => {
    const shown = await registration.getNotifications({ tag: options.tag });
    for (const one of shown) if (one.data?.isQuiet) one.close();
  }, quietTime);
}

/**
 * Answer, or a click on the notification itself, brings up a page that answers; Decline one that declines.
 *
 * The worker has no token, so it cannot decline by itself: a credential that lies in the browser for that alone would be one
 * more thing to steal.
 */
async function notificationClicked({ notification, action }) {
  notification.close();
  const { sessionID, deviceID, eventID } = notification.data ?? {};
  if (eventID && action === "mute") return mute(deviceID);
  if (eventID) return bringUp(`./#/devices/${deviceID}/events/${eventID}`, { kind: "event.wanted", deviceID, eventID });
  const verb = action === "decline" ? "decline" : "answer";
  const address = sessionID ? `./#/calls/${sessionID}?${verb}` : "./";
  const [page] = await openPages();
  if (!page) return clients.openWindow(address);
  if (sessionID) page.postMessage({ kind: "call.wanted", sessionID, verb });
  // A page in view declines without coming to the front; a hidden one may be frozen until then.
  if (sessionID && verb === "decline" && page.visibilityState === "visible") return;
  await page.focus().catch(() => clients.openWindow(address));
}

/** The page that there is, which gets the message, or a new one at the address. */
async function bringUp(address, message) {
  const [page] = await openPages();
  if (!page) return clients.openWindow(address);
  page.postMessage(message);
  await page.focus().catch(() => clients.openWindow(address));
}

async function tellPages(message) {
  for (const page of await openPages()) page.postMessage(message);
}

/** This hub's pages, the one used last first. */
async function openPages() {
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const paths = [scope.pathname, `${scope.pathname}index.html`];
  return pages.filter(({ url }) => paths.includes(new URL(url).pathname));
}
