// The page's service worker in a context of its own, with what a browser gives it.

import { createContext, runInContext } from "node:vm";
import { source } from "./sources.mjs";

const web = "Sources/Hub/HubHTTP/web";

/** `answers` are those to the worker's requests, in order; without one a request fails. */
export class WorkerHarness {
  /** All that was shown, the oldest first: `{ title, options }`. */
  shown = [];
  /** Of requests: `{ url, ticket }`. */
  requests = [];
  opened = [];
  posted = [];
  /** The pages that are open. */
  pages = [];
  answers = [];
  #context;
  #handlers = {};
  #kept = new Map();

  constructor() {
    const registration = {
      scope: "https://hub.example.org/door/",
      showNotification: async (title, options) => {
        this.shown = this.shown.filter(({ options: { tag } }) => tag !== options.tag);
        this.shown.push({ title, options });
      },
      getNotifications: async ({ tag }) => this.shown.filter(({ options }) => options.tag === tag).map((one) => ({
        data: one.options.data, close: () => { this.shown = this.shown.filter((other) => other !== one); },
      })),
    };
    this.#context = createContext({
      registration, URL, Uint8Array, AbortSignal, Response, btoa, navigator: { language: "en-GB" },
      setTimeout: (step) => setTimeout(step, 0),
      fetch: async (url, { headers }) => {
        this.requests.push({ url: url.href, ticket: headers["X-Image-Ticket"] });
        const answer = this.answers.shift();
        if (!answer) throw new TypeError("no network");
        return answer;
      },
      clients: {
        matchAll: async () => this.pages,
        openWindow: async (address) => { this.opened.push(address); },
      },
      caches: {
        open: async (name) => ({
          put: async (url, response) => { this.#kept.set(`${name} ${url}`, response); },
        }),
        match: async (url, { cacheName }) => this.#kept.get(`${cacheName} ${url}`)?.clone(),
      },
      skipWaiting() {}, addEventListener: (name, handler) => { this.#handlers[name] = handler; },
      importScripts: (...names) => { for (const name of names) this.#run(name); },
    });
    this.#run("service-worker.js");
  }

  /** Hands over a message as a push service does; returns when the worker is done. */
  async push(message) {
    await this.#dispatch("push", { data: { json: () => JSON.parse(JSON.stringify(message)) } });
  }

  async click(notification, action = "") {
    await this.#dispatch("notificationclick", { action, notification: { close() {}, data: notification.options.data } });
  }

  /** What an expression in the worker is. */
  evaluate(expression) {
    return runInContext(expression, this.#context);
  }

  page() {
    const page = {
      url: "https://hub.example.org/door/", postMessage: (message) => this.posted.push({ ...message }),
      focus: async () => {},
    };
    this.pages.push(page);
    return page;
  }

  async #dispatch(name, event) {
    let work;
    this.#handlers[name]({ ...event, waitUntil: (promise) => { work = promise; } });
    await work;
  }

  #run(name) {
    runInContext(source(`${web}/${name}`), this.#context, { filename: name });
  }
}
