// The switch that has this device ring while the page is closed.

import { byID, setText } from "./dom.js";
import { pushErrorText, pushText } from "./texts.js";

export class PushView {
  #push;
  #box = byID("ring-closed");
  #state = byID("ring-closed-state");
  #onChange;

  /** `onChange` is called when the person has switched it. */
  constructor(push, onChange) {
    this.#push = push;
    this.#onChange = onChange;
    this.#box.addEventListener("change", () => this.#switch());
  }

  /** Shows what there is, and why it does not work, if so. */
  render(error = null) {
    this.#box.checked = this.#push.isWanted;
    setText(this.#state, error ? pushErrorText(error) : pushText(this.#push));
  }

  /** Registers this browser's subscription at the hub once more. */
  async renew() {
    await this.#run(() => this.#push.renew());
  }

  async #switch() {
    const { checked } = this.#box;
    this.#box.disabled = true;
    await this.#run(() => (checked ? this.#push.turnOn() : this.#push.turnOff()));
    this.#box.disabled = false;
    this.#onChange();
  }

  async #run(step) {
    try {
      await step();
      this.render();
    } catch (error) {
      this.render(error);
    }
  }
}
