// The page's own files, kept for when the hub cannot be reached. Nothing else is kept: no answer of the hub's API, nothing of
// a person.

/** Every file of the page but those of the worker itself, which the browser keeps. */
const shellFiles = [
  "./",
  "account-dialog.js", "accounts.js", "actions-view.js", "actions.css", "administration-view.js",
  "administration.css", "api.js", "archive-view.js", "archives.js", "back-off.js", "badge-96.png", "base.css",
  "call-again.js", "call-history-view.js", "call-history.css", "call-history.js", "call-media.js", "call-view.js",
  "call.css", "call.js", "calls.js", "camera-view.js", "capture.js", "chat-view.js", "chat.css", "credentials.js",
  "days.js", "device-events.js", "dom.js", "event-kinds.js", "event-route.js", "events-view.js", "events.js",
  "formats.js", "full-screen.css", "full-screen.js", "grant-dialog.js", "hold-button.js", "icon-192.png",
  "icon-512.png", "icon-maskable-512.png", "icon.svg", "incoming-view.js", "incoming.css", "installation.js",
  "interrupted-call.js", "keys.js", "language.js", "layout-view.js", "layout.css", "login-view.js", "logins-view.js",
  "main.js", "manifest.webmanifest", "media-life.js", "nearby-view.js", "notifications.js", "other-pages.js",
  "panels.js", "password-view.js", "path-watch.js", "pauses.js", "peer.js", "pin-question.js", "position.js",
  "presence.js", "preview.js", "push-view.js", "push.js", "qr.js", "quality-view.js", "quality.css", "quality.js",
  "record-now.js", "renewal.js", "ringtone.js", "route.js", "session-events.js", "session-id.js", "settle.js",
  "silence.js", "snapshot-view.js", "sse.js", "stage.js", "status.js", "texts.js", "texts/de.js", "texts/en.js",
  "thumbnails.js", "ticker.js", "timeline-view.js", "timeline.css", "timeline.js", "title-alert.js", "turns.js",
  "waiting-view.js", "wanted-call.js", "worker-messages.js",
];
/** After this long without the hub's answer the kept file does, in milliseconds. */
const shellLimit = 5_000;
/** A hub that was away is not asked for the page's other files for so long: they are loaded one after the other. */
const awayTime = 10_000;
/** What a proxy answers for a hub that is away. */
const awayStatuses = [502, 503, 504];

const scope = new URL(registration.scope);
/** All hubs below paths of one origin share its caches. */
const shellCache = `livesessions.shell ${scope.pathname}`;
const shellAddresses = new Set(shellFiles.map((name) => new URL(name, scope).href));

/** Until when the hub is taken to be away, in milliseconds since 1970. */
let awayUntil = 0;

/** Under which address a request's answer is kept; null for all that is not the page's own file. */
function shellAddress({ method, url }) {
  const address = new URL(url);
  address.search = "";
  address.hash = "";
  return method === "GET" && shellAddresses.has(address.href) ? address.href : null;
}

/** The hub's file; the kept one where the hub does not answer, or not in time. */
async function shellResponse(event, address) {
  const kept = Date.now() < awayUntil && await keptFile(address);
  return kept || newestFile(event, address);
}

async function newestFile(event, address) {
  const network = fetch(event.request);
  event.waitUntil(network.then((response) => keepFile(address, response.clone())).catch(() => {}));
  const late = new Promise((resolve) => setTimeout(resolve, shellLimit, null));
  const response = await Promise.race([network, late]).catch(() => null);
  if (response && !awayStatuses.includes(response.status)) return response;
  awayUntil = Date.now() + awayTime;
  return (await keptFile(address)) ?? response ?? network;
}

/**
 * Takes what the browser has of the page that was just loaded, rather than ask the hub for all of it once more. Files that do
 * not come now are kept when a page loads them: the worker serves without.
 */
async function keepShell() {
  await Promise.allSettled([...shellAddresses].map(async (address) => {
    await keepFile(address, await fetch(address, { cache: "force-cache" }));
  }));
}

async function forgetOldShell() {
  const cache = await caches.open(shellCache);
  const kept = await cache.keys();
  await Promise.all(kept.filter(({ url }) => !shellAddresses.has(url)).map((request) => cache.delete(request)));
}

async function keepFile(address, response) {
  // Where a redirection leads is not the page: a proxy's log-in, perhaps.
  if (response.status !== 200 || response.type !== "basic" || response.redirected) return;
  const cache = await caches.open(shellCache);
  const tag = response.headers.get("ETag");
  const kept = await cache.match(address);
  if (!tag || kept?.headers.get("ETag") !== tag) await cache.put(address, response);
}

async function keptFile(address) {
  return (await caches.open(shellCache)).match(address);
}
