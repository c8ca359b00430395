// A picture of what a device's camera sees now.

import { byID, setWords } from "./dom.js";
import { errorWords } from "./words.js";

/** Shows one picture at a time; it is asked for by hand, again if need be. */
export class SnapshotView {
  #hub;
  #user = null;
  #url = null;

  constructor(hub) {
    this.#hub = hub;
    byID("snapshot-close").addEventListener("click", () => this.close());
    byID("snapshot-again").addEventListener("click", () => this.#load());
  }

  open(user) {
    this.close();
    this.#user = user;
    byID("snapshot").hidden = false;
    byID("snapshot-heading").textContent = `Picture of ${user.userTitle}`;
    byID("snapshot").scrollIntoView({ block: "nearest" });
    return this.#load();
  }

  close() {
    this.#user = null;
    byID("snapshot").hidden = true;
    this.#show(null);
  }

  async #load() {
    const user = this.#user;
    byID("snapshot-again").disabled = true;
    setWords(byID("snapshot-state"), "Asking the device …");
    try {
      const picture = await this.#hub.snapshot(user.userID);
      if (this.#user !== user) return;
      this.#show(URL.createObjectURL(picture));
      setWords(byID("snapshot-state"), new Date().toLocaleTimeString());
    } catch (error) {
      if (this.#user === user) setWords(byID("snapshot-state"), snapshotErrorWords(error));
    } finally {
      byID("snapshot-again").disabled = false;
    }
  }

  #show(url) {
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = url;
    const image = byID("snapshot-picture");
    image.hidden = !url;
    if (url) image.src = url;
    else image.removeAttribute("src");
  }
}

function snapshotErrorWords(error) {
  if (error.status === 403) return "The device does not show pictures to operators.";
  if (error.status === 404) return "The camera gives no picture now, or the device is not online.";
  return errorWords(error);
}
