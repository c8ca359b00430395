// As much of a document as the views need that are tested without a browser.

import { define } from "./environment.mjs";

/** An element that remembers what is set; each selector finds one element of its own. */
class FakeElement extends EventTarget {
  dataset = {};
  style = {};
  hidden = false;
  disabled = false;
  open = false;
  textContent = "";
  value = "";
  children = [];
  #attributes = new Map();
  #parts = new Map();
  #replace = () => {};

  /** A template's content. */
  get content() {
    return { firstElementChild: { cloneNode: () => new FakeElement() } };
  }

  get lastElementChild() {
    return this.children.at(-1) ?? null;
  }

  querySelector(selector) {
    if (!this.#parts.has(selector)) this.#put(selector, new FakeElement());
    return this.#parts.get(selector);
  }

  /** In an element that has found this one by a selector. */
  replaceWith(other) {
    this.#replace(other);
  }

  #put(selector, element) {
    element.#replace = (other) => this.#put(selector, other);
    this.#parts.set(selector, element);
  }

  setAttribute(name, value) {
    this.#attributes.set(name, String(value));
  }

  getAttribute(name) {
    return this.#attributes.get(name) ?? null;
  }

  removeAttribute(name) {
    this.#attributes.delete(name);
    delete this[name];
  }

  append(...elements) {
    this.children.push(...elements);
  }

  replaceChildren(...elements) {
    this.children = elements;
  }

  click() {
    if (!this.disabled) this.dispatchEvent(new Event("click"));
  }

  /** As browsers did before showing again what shows already was permitted. */
  showModal() {
    if (this.open) throw new DOMException("shown already", "InvalidStateError");
    this.open = true;
  }

  /** The event comes later, as in a browser. */
  close() {
    if (!this.open) return;
    this.open = false;
    setImmediate(() => this.dispatchEvent(new Event("close")));
  }

  focus() {}
  scrollIntoView() {}
}

/** A document in which every id is that of an element; returns what finds it. */
export function makeDocument(t) {
  const elements = new Map();
  const byID = (id) => {
    if (id === null) return null;
    if (!elements.has(id)) elements.set(id, new FakeElement());
    return elements.get(id);
  };
  const made = {
    title: "", body: new FakeElement(), getElementById: byID, createElement: () => new FakeElement(),
    createElementNS: () => new FakeElement(),
  };
  define(t, "document", Object.assign(new EventTarget(), made));
  return byID;
}

/** The object URLs that were made and not revoked. */
export function watchObjectURLs(t) {
  const urls = new Set();
  let count = 0;
  t.mock.method(URL, "createObjectURL", () => {
    urls.add(`blob:${++count}`);
    return `blob:${count}`;
  });
  t.mock.method(URL, "revokeObjectURL", (url) => { urls.delete(url); });
  return urls;
}
