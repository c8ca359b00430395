// The page's own files, kept for when the hub cannot be reached. Nothing else is kept: no answer of the hub's API, nothing of
// a person.

/** After this long without the hub's answer the kept file does, in milliseconds. */
const shellLimit = 5_000;
/** A hub that was away is not asked for the page's other files for so long: they are loaded one after the other. */
const awayTime = 10_000;
/** What a proxy answers for a hub that is away. */
const awayStatuses = [502, 503, 504];
/** No page has more files. */
const maximumFiles = 500;

const scope = new URL(registration.scope);
/** All hubs below paths of one origin share its caches. */
const shellCache = `livesessions.shell ${scope.pathname}`;
/** What neither the index nor an import refers to: images of notifications, and the page's timer. */
const furtherFiles = ["icon-192.png", "badge-96.png", "ticker.js"];
/** Files with the page's version in their address never change. */
const versionFolder = /^page-[^/]+\//;
/**
 * What a text of the page refers to: attributes, icons of the manifest, imports, on demand as well; of the latter not what is in
 * a folder, which is of another language.
 */
const references =
  /\b(?:href|src)="([^"#:]+)"|"src": ?"([^"#:]+)"|^(?:import|export)\b[^"'()]*"(\.{1,2}\/[^"]+)"|\bimport\("(\.\/[\w.-]+)"\)/gm;

/** Until when the hub is taken to be away, in milliseconds since 1970. */
let awayUntil = 0;

/** Under which address a request's answer is kept; null for all that is not the page's own file. */
function shellAddress({ method, url }) {
  const address = new URL(url);
  address.search = "";
  address.hash = "";
  if (method !== "GET" || !address.href.startsWith(scope.href)) return null;
  const path = address.href.slice(scope.href.length);
  const isFile = /\.(?:js|css|svg|png|webmanifest)$/.test(path) && !path.startsWith("v1/");
  return path === "" || isFile ? address.href : null;
}

/** The folder of a file that never changes; null for others. */
function versionOf(address) {
  const [folder = null] = versionFolder.exec(address.slice(scope.href.length)) ?? [];
  return folder && scope.href + folder;
}

/** The hub's file; the kept one where it cannot have changed, or the hub does not answer, or not in time. */
async function shellResponse(event, address) {
  const kept = (versionOf(address) || Date.now() < awayUntil) && await keptFile(address);
  return kept || newestFile(event, address);
}

async function newestFile(event, address) {
  const network = fetch(event.request);
  event.waitUntil(network.then((response) => keepLoaded(address, response.clone())).catch(() => {}));
  const late = new Promise((resolve) => setTimeout(resolve, shellLimit, null));
  const response = await Promise.race([network, late]).catch(() => null);
  if (response && !awayStatuses.includes(response.status)) return response;
  awayUntil = Date.now() + awayTime;
  return (await keptFile(address)) ?? response ?? network;
}

/** A new index means other files. */
async function keepLoaded(address, response) {
  const isNew = await keepFile(address, response);
  if (isNew && address === scope.href) await keepShell("default");
}

/**
 * Keeps the index and what it refers to, and gives up what an earlier one did. When the worker is installed (`force-cache`), it
 * takes what the browser has of the page that was just loaded, rather than ask the hub for all of it once more. Files that do
 * not come now are kept when a page loads them: the worker serves without.
 */
async function keepShell(mode) {
  const wanted = new Set([scope.href, ...furtherFiles.map((name) => new URL(name, scope).href)]);
  // A set grows while it is gone through.
  for (const address of wanted) {
    const text = await textOf(address, mode).catch(() => null);
    for (const [, ...found] of (text ?? "").matchAll(references)) {
      const { href } = new URL(found.find(Boolean), address);
      if (wanted.size < maximumFiles && shellAddress({ method: "GET", url: href }) === href) wanted.add(href);
    }
  }
  if (wanted.size > 1 + furtherFiles.length) await forgetOthers(wanted);
}

/** Keeps a file; returns its text, or null where that refers to nothing. */
async function textOf(address, mode) {
  let response = versionOf(address) && await keptFile(address);
  if (!response) {
    response = await fetch(address, { cache: mode });
    await keepFile(address, response.clone());
  }
  return /\.(?:png|svg|css)$/.test(address) ? null : response.text();
}

/** What a page has loaded on demand stays as long as its version. */
async function forgetOthers(wanted) {
  const versions = [...wanted].map(versionOf).filter(Boolean);
  const isWanted = (url) => wanted.has(url) || versions.some((folder) => url.startsWith(folder));
  const cache = await caches.open(shellCache);
  const kept = await cache.keys();
  await Promise.all(kept.filter(({ url }) => !isWanted(url)).map((request) => cache.delete(request)));
}

/** Returns whether that was not kept before. */
async function keepFile(address, response) {
  // Where a redirection leads is not the page: a proxy's log-in, perhaps.
  if (response.status !== 200 || response.type !== "basic" || response.redirected) return false;
  const cache = await caches.open(shellCache);
  const tag = response.headers.get("ETag");
  const kept = await cache.match(address);
  if (tag && kept?.headers.get("ETag") === tag) return false;
  await cache.put(address, response);
  return true;
}

async function keptFile(address) {
  return (await caches.open(shellCache)).match(address);
}
