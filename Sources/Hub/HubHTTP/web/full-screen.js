// Full screen: the video with the call's controls over it, which hide without movement.

import { byID } from "./dom.js";
import { texts } from "./texts.js";

const quietAfter = 3_000;
const signsOfLife = ["pointermove", "pointerdown", "keydown", "focusin"];

/** The button that goes there and back, and the controls' coming and going. */
export class FullScreen {
  #theatre = byID("theatre");
  #timer = null;

  constructor() {
    byID("full-screen").hidden = !document.fullscreenEnabled;
    byID("full-screen").addEventListener("click", () => this.#toggle());
    document.addEventListener("fullscreenchange", () => this.#changed());
    for (const name of signsOfLife) this.#theatre.addEventListener(name, () => this.#wake());
  }

  leave() {
    if (this.#isOn) document.exitFullscreen().catch(() => {});
  }

  get #isOn() {
    return document.fullscreenElement === this.#theatre;
  }

  #toggle() {
    if (this.#isOn) this.leave();
    else this.#theatre.requestFullscreen().catch(() => {});
  }

  #changed() {
    const text = this.#isOn ? texts.call.leaveFullScreen : texts.call.fullScreen;
    Object.assign(byID("full-screen"), { title: text, ariaLabel: text });
    this.#wake();
  }

  /** Shows the controls, for a while only in full screen. */
  #wake() {
    clearTimeout(this.#timer);
    delete this.#theatre.dataset.quiet;
    if (this.#isOn) this.#timer = setTimeout(() => { this.#theatre.dataset.quiet = ""; }, quietAfter);
  }
}
