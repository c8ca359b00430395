// What the page has said in passing: notices go away after some seconds, the list of them stays.

/** Older ones are forgotten. */
const maximumMessages = 20;

/** The newest first, `{text, time}`, with `time` in milliseconds since 1970; dispatches `added`. */
class Messages extends EventTarget {
  #all = [];

  get all() {
    return this.#all;
  }

  add(text) {
    this.#all = [{ text, time: Date.now() }, ...this.#all].slice(0, maximumMessages);
    this.dispatchEvent(new Event("added"));
  }

  /** They are one person's. */
  clear() {
    this.#all = [];
    this.dispatchEvent(new Event("added"));
  }
}

export const messages = new Messages();
