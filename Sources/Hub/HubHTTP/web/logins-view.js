// Where this person is logged in, and the way to end that elsewhere.

import { byID, fromTemplate, setText } from "./dom.js";
import { errorText } from "./texts.js";
import { clientText, loginTimeText, texts } from "./view-texts.js";

/** More entries than a person has logins are no hub's. */
const maximumLogins = 64;

export class LoginsView {
  #hub;
  /** Lists are numbered as they are asked for; only the newest is shown. */
  #asked = 0;

  constructor(hub) {
    this.#hub = hub;
    byID("logins-end").addEventListener("click", () => this.#end(null));
  }

  open() {
    byID("login-list").replaceChildren();
    this.#load();
  }

  close() {
    this.#asked += 1;
  }

  async #load() {
    const number = ++this.#asked;
    setText(byID("logins-state"), texts.logins.asking);
    try {
      const { items } = await this.#hub.logins();
      if (number !== this.#asked) return;
      byID("login-list").replaceChildren(...items.slice(0, maximumLogins).map((login) => this.#entry(login)));
      byID("logins-end").hidden = !items.some((login) => !login.isCurrent);
      setText(byID("logins-state"), "");
    } catch (error) {
      if (number === this.#asked) setText(byID("logins-state"), errorText(error));
    }
  }

  #entry({ id, client, address, startedAt, renewedAt, isCurrent }) {
    const entry = fromTemplate("login-template");
    const name = clientText(String(client));
    entry.querySelector(".title").textContent = isCurrent ? texts.logins.thisPage(name) : name;
    entry.querySelector(".detail").textContent = loginTimeText(String(address), startedAt, renewedAt);
    const button = entry.querySelector("button");
    button.hidden = isCurrent;
    button.addEventListener("click", () => this.#end(id));
    return entry;
  }

  async #end(id) {
    try {
      await this.#hub.endOtherLogins(id);
    } catch (error) {
      // One that is gone already is what was wanted.
      if (error.status !== 404) return setText(byID("logins-state"), errorText(error));
    }
    this.#load();
  }
}
