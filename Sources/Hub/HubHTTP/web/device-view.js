// The head of a device's page: what it is called, how it is, where, and what can be done with it.

import { stateOf } from "./device-order.js";
import { positionText, presenceText } from "./device-texts.js";
import { byID, setText } from "./dom.js";
import { iconElement } from "./menu.js";
import { actionName, menuItems } from "./nearby-view.js";
import { actionsOf, isCalling } from "./permits.js";
import { addressOf } from "./route.js";
import { initials } from "./titles.js";

/** The parts of the page, by the action that leads there; the first one that a device shows has the device's own address. */
const parts = { snapshot: "snapshot", events: "events", archives: "recordings" };

/** Dispatches `choose` (detail: `{user, action}`) for what is no part of the page. */
export class DeviceView extends EventTarget {
  #known;
  #isOperator;
  #isBusy = false;
  /** The route that shows; null while none of a device does. */
  #route = null;

  constructor(known, { isOperator }) {
    super();
    this.#known = known;
    this.#isOperator = isOperator;
    known.addEventListener("change", () => this.#render());
    byID("device-actions-row").addEventListener("click", ({ target }) => {
      const action = target.closest("button")?.dataset.action;
      if (action) this.#choose(action);
    });
  }

  /** Shows the page of the device that the address names, once that is known. */
  follow(route) {
    this.#route = route.view === "devices" ? route : null;
    this.#render();
  }

  setBusy(isBusy) {
    this.#isBusy = isBusy;
    this.#render();
  }

  #render() {
    const user = this.#route && this.#known.get(this.#route.id);
    byID("device").hidden = !user;
    if (!user) return;
    Object.assign(byID("device").dataset, { userId: user.userID, status: user.status, state: stateOf(user) });
    byID("device-initials").textContent = initials(user.userTitle);
    byID("device-heading").textContent = user.userTitle;
    byID("device-status").textContent = presenceText(user);
    setText(byID("device-position"), positionText(user));
    this.#renderReport(user);
    const actions = actionsOf(user, { isOperator: this.#isOperator() });
    this.#renderActions(actions.filter(isCalling));
    this.#renderParts(Object.keys(parts).filter((action) => actions.includes(action)));
  }

  /** For those whom the hub tells how a device is; the words for it are loaded then. */
  async #renderReport({ userID, report }) {
    const { problemText, reportText } = report ? await import("./device-report.js").catch(() => ({})) : {};
    if (byID("device").dataset.userId !== userID) return;
    setText(byID("device-report"), reportText?.(report) ?? "");
    setText(byID("device-problem"), problemText?.(report) ?? "");
  }

  /** The main one with its name, the others behind it. */
  #renderActions(actions) {
    const state = JSON.stringify([actions, this.#isBusy]);
    const row = byID("device-actions-row");
    if (row.dataset.state === state) return;
    row.dataset.state = state;
    row.replaceChildren(...menuItems(actions, this.#isBusy).map(({ action, text, icon, isDisabled }, index) => {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", disabled: isDisabled, className: index === 0 ? "primary" : "" });
      button.dataset.action = action;
      button.append(iconElement(icon), text);
      return button;
    }));
  }

  #renderParts(actions) {
    const { id, part: current = parts[actions[0]] } = this.#route;
    const state = JSON.stringify([id, current, actions]);
    const row = byID("device-parts");
    if (row.dataset.state === state) return;
    row.dataset.state = state;
    row.hidden = !actions.length;
    row.replaceChildren(...actions.map((action, index) => {
      const part = parts[action];
      const link = document.createElement("a");
      link.href = addressOf(index === 0 ? { view: "devices", id } : { view: "devices", id, part });
      link.textContent = actionName(action);
      link.dataset.part = part;
      if (part === current) link.setAttribute("aria-current", "page");
      return link;
    }));
  }

  #choose(action) {
    const user = this.#known.get(this.#route?.id);
    if (user) this.dispatchEvent(new CustomEvent("choose", { detail: { user, action } }));
  }
}

/** The part of a device's page that shows where its address names none; undefined where it shows none. */
export function firstPart(user, rights) {
  const actions = actionsOf(user, rights);
  return parts[Object.keys(parts).find((action) => actions.includes(action))];
}
