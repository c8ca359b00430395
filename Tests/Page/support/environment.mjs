// What every browser has and Debian's Node lacks. A test imports this before the modules of the page.

import { webcrypto } from "node:crypto";

globalThis.window ??= globalThis;
globalThis.crypto ??= webcrypto;
globalThis.location ??= new URL("https://hub.example/");
globalThis.navigator ??= {};
globalThis.matchMedia ??= () => Object.assign(new EventTarget(), { matches: false });

globalThis.CustomEvent ??= class CustomEvent extends Event {
  constructor(name, { detail = null, ...options } = {}) {
    super(name, options);
    this.detail = detail;
  }
};

/** A global variable for the duration of a test. */
export function define(t, name, value) {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  t.after(() => {
    if (before) Object.defineProperty(globalThis, name, before);
    else delete globalThis[name];
  });
}

/** A promise with its `resolve` and `reject`: an answer whose time the test chooses. */
export function deferred() {
  const answer = {};
  answer.promise = new Promise((resolve, reject) => Object.assign(answer, { resolve, reject }));
  return answer;
}

/** Lets everything run that waits for no timer. */
export async function settled() {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
