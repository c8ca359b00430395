// What shows while nothing is called or opened: the wall or the map, and in a narrow window the list in their place.

import { byID, setPressed } from "./dom.js";

const storageKey = "livesessions.home";
/** As the style sheets have it. */
const narrow = matchMedia("(max-width: 52rem)");

export class HomeViews {
  #views;
  #choice = null;
  #isFree = false;

  /** `views` are what can be shown, by name: `wall` and `map`, with `open()` and `close()`. */
  constructor(views) {
    this.#views = views;
    document.addEventListener("click", ({ target }) => {
      const name = target.closest?.(".segments button")?.dataset.home;
      if (name) this.#choose(name);
    });
    narrow.addEventListener("change", () => this.#render());
  }

  /** Whether nothing else has the stage. */
  setFree(isFree) {
    this.#isFree = isFree;
    this.#render();
  }

  /** The list comes first where there is room for one of the three, else the wall. */
  get #shown() {
    const choice = this.#choice ?? (narrow.matches ? "list" : kept());
    return choice === "list" && !narrow.matches ? kept() : choice;
  }

  #choose(name) {
    this.#choice = name;
    if (name === "list") {
      if (byID("nearby-panel").hidden) byID("list-toggle").click();
    } else {
      keep(name);
    }
    this.#render();
  }

  #render() {
    const shown = this.#shown;
    document.body.dataset.home = shown;
    byID("wall").hidden = !this.#isFree;
    for (const button of document.querySelectorAll(".segments button")) setPressed(button, button.dataset.home === shown);
    for (const [name, view] of Object.entries(this.#views)) {
      if (this.#isFree && name === shown) view.open();
      else view.close();
    }
  }
}

function kept() {
  try {
    return localStorage.getItem(storageKey) === "map" ? "map" : "wall";
  } catch {
    return "wall";
  }
}

function keep(name) {
  try {
    localStorage.setItem(storageKey, name);
  } catch {
    // It lasts as long as the page then.
  }
}
