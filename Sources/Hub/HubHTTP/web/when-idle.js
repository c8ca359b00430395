// Work that can wait until the browser has nothing else to do.

/** After this long it is done all the same, in milliseconds. */
const longest = 3_000;

/** Runs `step` once. Safari has no idle times to tell of. */
export function whenIdle(step) {
  if (globalThis.requestIdleCallback) requestIdleCallback(step, { timeout: longest });
  else setTimeout(step, longest / 3);
}
