// The page as an app of its own: its service worker, where the browser has such.

/** A worker that is not ready after this long is not waited for, in milliseconds. */
const readyLimit = 20_000;

let registered = null;

/** The registration of the page's service worker; null where the browser, or the address, allows none. */
export function installation() {
  registered ??= register();
  return registered;
}

/** The same with a worker that takes pushes; throws a `TimeoutError` when there is none in time. */
export async function readyInstallation() {
  const registration = await installation();
  if (!registration) return null;
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  const limit = AbortSignal.timeout(readyLimit);
  await new Promise((resolve, reject) => {
    const check = () => { if (worker.state === "activated") resolve(); };
    worker.addEventListener("statechange", check, { signal: limit });
    limit.addEventListener("abort", () => reject(limit.reason));
    check();
  });
  return registration;
}

/** Closes what the worker shows of one call. */
export async function closeNotifications(sessionID) {
  const registration = await installation();
  const shown = (await registration?.getNotifications({ tag: sessionID })) ?? [];
  for (const one of shown) one.close();
}

async function register() {
  if (!window.isSecureContext || !navigator.serviceWorker) return null;
  try {
    return await navigator.serviceWorker.register("service-worker.js", { updateViaCache: "none" });
  } catch {
    // A browser that keeps nothing, or a hub that is just away: the page works without.
    return null;
  }
}
