// The text format of server-sent events (WHATWG HTML, section 9.2.6), fed in pieces of any size.

/** Collects text and returns whole events `{id, name, data}` as their blank lines arrive. */
export class EventStreamParser {
  /** The id that the newest complete event left behind, for `Last-Event-ID`. */
  lastEventID = "";
  #pending = "";
  #name = "";
  #data = [];
  #id = "";

  push(text) {
    const events = [];
    const lines = (this.#pending + text).split("\n");
    this.#pending = lines.pop();
    for (const line of lines) {
      const event = this.#take(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (event) events.push(event);
    }
    return events;
  }

  #take(line) {
    if (line === "") return this.#finish();
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#name = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return null;
  }

  #finish() {
    this.lastEventID = this.#id;
    const event = this.#data.length
      ? { id: this.#id, name: this.#name || "message", data: this.#data.join("\n") }
      : null;
    this.#name = "";
    this.#data = [];
    return event;
  }
}
