// What stands on the stage, beside the list, for the page's address: one view of a device, of the settings and so on.

import { byID } from "./dom.js";

/** Views of the stage, each for its address. */
export class Stage {
  #router;
  #findUser;
  #onAbsent;
  #views = [];
  #isOn = false;
  /** The route that shows; null for none. */
  #shown = null;
  /** The route that waits for its device to appear on the list. */
  #awaited = null;

  /** `findUser` gives a user of the list by id; `onAbsent` is called when an address names one that is not on it. */
  constructor(router, { findUser, onAbsent }) {
    [this.#router, this.#findUser, this.#onAbsent] = [router, findUser, onAbsent];
    router.addEventListener("route", () => this.#render());
  }

  /**
   * A view for `{view, part, id}` (`id` where each has a view of its own, null for that of none): `show(route, user)` and
   * `hide()`; `user` is the device that the address names. It stays, without being shown again, while the address leads to one item
   * of one of `stays` (parts) of the same device. `closeButton` is the id of an element, if there is one.
   */
  add({ view, part, id }, { show, hide, closeButton = null, stays = [] }) {
    const added = { view, part, id, show, hide, stays, isKept: false };
    this.#views.push(added);
    byID(closeButton)?.addEventListener("click", () => this.#close(added));
  }

  /** A person has logged in. */
  start() {
    this.#isOn = true;
    this.#render();
  }

  stop() {
    this.#isOn = false;
    this.#hideAll();
  }

  /** The list has come: an address may wait for a device of it. */
  listCame() {
    if (!this.#awaited) return;
    const route = this.#awaited;
    this.#awaited = null;
    if (this.#findUser(route.id)) this.#render();
    else this.#onAbsent();
  }

  #render() {
    if (!this.#isOn) return;
    const route = this.#router.current;
    const user = route.view === "devices" ? this.#findUser(route.id) : null;
    this.#awaited = route.view === "devices" && !user ? route : null;
    if (this.#awaited) return;
    const before = this.#shown;
    this.#shown = route;
    for (const view of this.#views) this.#renderView(view, { route, before, user });
  }

  #renderView(view, { route, before, user }) {
    const isOfDevice = before?.id === route.id;
    const wasShown = before && (isOf(view, before) || view.isKept);
    const isAgain = isOf(view, route) && view.isKept && isOfDevice && route.item == null;
    view.isKept = Boolean(wasShown && isOfDevice && route.item != null && view.stays.includes(route.part));
    if (isOf(view, route) && !isAgain) view.show(route, user);
    else if (wasShown && !isOf(view, route) && !view.isKept) view.hide();
  }

  /** What shows below it, of the same device, remains. */
  #close(view) {
    const wasKept = view.isKept;
    view.isKept = false;
    if (wasKept) return view.hide();
    const below = this.#views.find(({ isKept }) => isKept);
    this.#router.go(below ? { view: below.view, id: this.#shown.id, part: below.part } : { view: "wall" });
  }

  #hideAll() {
    this.#shown = this.#awaited = null;
    for (const view of this.#views) {
      view.isKept = false;
      view.hide();
    }
  }
}

function isOf({ view, part, id }, route) {
  return route.view === view && route.part === part && (id === undefined || id === (route.id ?? null));
}
