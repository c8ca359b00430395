// Parts of the page that a person folds away, and that stay so in this browser.

import { byID } from "./dom.js";

const storageKey = "livesessions.panels";

/** One part of the page and the button that shows and hides it. */
export class Panel {
  #button;
  #panel;
  #name;
  #isOpenAtFirst;
  #onChange;

  /**
   * `name` is where the choice is kept, `isOpenAtFirst` the default; `onChange` is called with
   * whether the panel is open whenever that may have changed.
   */
  constructor({ button, panel, name, isOpenAtFirst, onChange = () => {} }) {
    this.#button = byID(button);
    this.#panel = byID(panel);
    this.#name = name;
    this.#isOpenAtFirst = isOpenAtFirst;
    this.#onChange = onChange;
    this.#button.addEventListener("click", () => this.choose(!this.isOpen));
    this.render();
  }

  get isOpen() {
    return choices()[this.#name()] ?? this.#isOpenAtFirst();
  }

  choose(isOpen) {
    keep({ ...choices(), [this.#name()]: isOpen });
    this.render();
  }

  render() {
    const { isOpen } = this;
    this.#panel.hidden = !isOpen;
    this.#button.setAttribute("aria-expanded", String(isOpen));
    this.#onChange(isOpen);
  }
}

/** In a browser without storage a choice lasts as long as the page. */
let unsaved = null;

function choices() {
  if (unsaved) return unsaved;
  try {
    return JSON.parse(localStorage.getItem(storageKey)) ?? {};
  } catch {
    return {};
  }
}

function keep(next) {
  try {
    localStorage.setItem(storageKey, JSON.stringify(next));
  } catch {
    unsaved = next;
  }
}
