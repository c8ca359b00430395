// What has a place beside the stage: the list and the chat.

import { byID } from "./dom.js";
import { Panel } from "./panels.js";
import { texts } from "./texts.js";

/** Where the chat leaves enough room to the video. */
const roomy = matchMedia("(min-width: 60rem) and (min-height: 34rem)");
/** Where list and chat together do. */
const spacious = matchMedia("(min-width: 75rem) and (min-height: 34rem)");

/** While a call runs the stage has the window, and the list waits behind its button. */
export class LayoutView {
  #list = new Panel({
    button: "list-toggle", panel: "nearby-panel",
    name: () => (this.#isLive ? "list-in-call" : "list"),
    isOpenAtFirst: () => !this.#isLive,
    onChange: (isOpen) => { if (isOpen) this.#makeRoom(() => this.#chat); },
  });
  #chat = new Panel({
    button: "chat-toggle", panel: "chat", name: () => "chat", isOpenAtFirst: () => roomy.matches,
    onChange: (isOpen) => this.#chatChanged(isOpen),
  });

  constructor() {
    roomy.addEventListener("change", () => this.#chat.render());
  }

  get #isLive() {
    return document.body.dataset.stage === "call";
  }

  setLive(isLive) {
    if (this.#isLive === isLive) return;
    document.body.dataset.stage = isLive ? "call" : "free";
    this.#list.render();
    this.#markUnread(false);
  }

  /** A line has come that is not visible. */
  chatCame() {
    if (!this.#chat.isOpen) this.#markUnread(true);
  }

  #chatChanged(isOpen) {
    if (!isOpen) return;
    this.#makeRoom(() => this.#list);
    this.#markUnread(false);
    byID("chat-lines").lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  /** A smaller window has room beside the video for one of the two. */
  #makeRoom(other) {
    if (this.#isLive && !spacious.matches && other().isOpen) other().choose(false);
  }

  #markUnread(isUnread) {
    const button = byID("chat-toggle");
    button.toggleAttribute("data-unread", isUnread);
    button.setAttribute("aria-label", isUnread ? texts.call.chatUnread : texts.call.chat);
  }
}
