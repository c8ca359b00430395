// The list of people and devices: a line each, with what it is there for, and a menu of the rest.

import { arranged, sortings } from "./device-order.js";
import { byID, fromTemplate, setText } from "./dom.js";
import { openMenu } from "./menu.js";
import { actionsOf, isCalling } from "./permits.js";
import { addressOf } from "./route.js";
import { presenceText } from "./device-texts.js";
import { distanceText } from "./formats.js";
import { errorText, positionAgeText, statusText, texts } from "./texts.js";
import { initials } from "./titles.js";

/** By action, the symbol of its button. */
const icons = { video: "camera", audio: "phone", watch: "eye", snapshot: "picture", events: "list", archives: "film", invite: "people" };
/** By action, which text names it. */
const labels = {
  video: "video", audio: "audio", watch: "watch", snapshot: "snapshot", events: "events", archives: "recordings",
  invite: "invite",
};
const storageKey = "livesessions.sorting";
/** So many lines more are made in a frame: hundreds at once would hold the page up. */
const linesAFrame = 80;

/** Shows who is known; dispatches `choose` (detail: `{user, action}`). */
export class NearbyView extends EventTarget {
  #known;
  #isOperator;
  #isBusy = false;
  /** By key of a row or group, its element and what it shows. */
  #rows = new Map();
  /** How many lines there may be so far. */
  #limit = linesAFrame;
  #frame = null;

  /** `known` are the {@link KnownUsers}; `isOperator` is whether the hub shows this person what devices keep and see. */
  constructor(known, { isOperator }) {
    super();
    this.#known = known;
    this.#isOperator = isOperator;
    known.addEventListener("change", () => this.#render());
    known.addEventListener("failure", ({ detail: error }) => setText(byID("nearby-empty"), errorText(error)));
    byID("sorting").value = keptSorting();
    byID("sorting").addEventListener("change", () => this.#sort());
    byID("search").addEventListener("input", () => this.#render());
    byID("within").addEventListener("change", () => known.refresh());
    byID("nearby").addEventListener("click", (event) => this.#clicked(event));
  }

  /** While a call is on there can be no other. */
  setBusy(isBusy) {
    this.#isBusy = isBusy;
    this.#render();
  }

  /** Puts the keyboard's focus on the list. */
  focus() {
    byID("nearby-heading").tabIndex = -1;
    byID("nearby-heading").focus();
  }

  /** Rows are kept as long as their users stay, so that the keyboard's focus does too, and written only where they differ. */
  #render() {
    const [search, users] = [byID("search").value, this.#known.all()];
    byID("sorting").options[sortings.indexOf("group")].hidden = !users.some(({ groups }) => groups.length);
    const groups = arranged(users, { search, sorting: byID("sorting").value });
    const before = this.#rows;
    this.#rows = new Map();
    let place = byID("nearby").firstElementChild;
    const put = (key, make, state, fill) => {
      const row = before.get(key) ?? { element: make(), state: null };
      const text = JSON.stringify(state);
      if (row.state !== text) fill(row.element, state);
      row.state = text;
      this.#rows.set(key, row);
      if (row.element === place) place = place.nextElementSibling;
      else byID("nearby").insertBefore(row.element, place);
    };
    let left = this.#limit;
    for (const { group, users } of groups) {
      if (left <= 0) break;
      put(`group ${group}`, () => fromTemplate("group-template"), { group, count: users.length }, fillGroup);
      for (const user of users.slice(0, left)) put(user.userID, () => fromTemplate("user-template"), this.#stateOf(user), fillRow);
      left -= users.length;
    }
    for (const [key, { element }] of before) if (!this.#rows.has(key)) element.remove();
    if (groups.reduce((sum, { users: members }) => sum + members.length, 0) > this.#limit) this.#continue();
    setText(byID("nearby-empty"), groups.length ? "" : this.#emptyText(search));
  }

  #continue() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.#limit += linesAFrame;
      this.#render();
    });
  }

  #emptyText(search) {
    if (!this.#known.isLoaded) return texts.list.loading;
    return search ? texts.list.notFound : texts.list.nobody;
  }

  /** All that a row shows. */
  #stateOf(user) {
    const [action = null, ...others] = actionsOf(user, { isOperator: this.#isOperator() });
    const age = user.distance == null ? "" : positionAgeText(user.positionAge);
    return {
      userID: user.userID, title: user.userTitle, kind: user.kind, status: user.status, action, hasMenu: others.length > 0,
      isBusy: this.#isBusy, presence: presenceText(user), age,
      distance: user.distance == null ? "" : distanceText(user.distance),
    };
  }

  #sort() {
    keepSorting(byID("sorting").value);
    this.#render();
  }

  #clicked({ target }) {
    const button = target.closest("button");
    const user = this.#known.get(target.closest(".user")?.dataset.userId);
    if (!button || !user) return;
    const { action } = button.dataset;
    if (action === "menu") this.#openMenu(button, user);
    else this.#choose(user, action);
  }

  #openMenu(button, user) {
    const actions = actionsOf(user, { isOperator: this.#isOperator() }).slice(1);
    openMenu(button, menuItems(actions, this.#isBusy), (action) => this.#choose(user, action));
  }

  #choose(user, action) {
    this.dispatchEvent(new CustomEvent("choose", { detail: { user, action } }));
  }
}

/** What an action is called. */
export function actionName(action) {
  return texts.list[labels[action]];
}

/** What a menu shows of these actions. */
export function menuItems(actions, isBusy) {
  return actions.map((action) => ({
    action, text: actionName(action), icon: icons[action], isDisabled: isBusy && isCalling(action),
  }));
}

function fillGroup(element, { group, count }) {
  element.querySelector("h3").textContent = groupName(group);
  element.querySelector(".count").textContent = count;
}

function groupName(group) {
  const { devices, people, noGroup } = texts.list;
  return { __proto__: null, devices, people, "": noGroup }[group] ?? statusText(group);
}

function fillRow(row, state) {
  Object.assign(row.dataset, { userId: state.userID, title: state.title, kind: state.kind, status: state.status });
  row.dataset.position = state.age ? "old" : "";
  const part = (name) => row.querySelector(`.${name}`);
  part("initials").textContent = initials(state.title);
  part("title").textContent = state.title;
  if (state.kind === "device") part("title").href = addressOf({ view: "devices", id: state.userID });
  else part("title").removeAttribute("href");
  part("status").textContent = state.presence;
  part("distance").textContent = state.distance;
  part("position-age").textContent = state.age;
  fillButtons(row, state);
}

function fillButtons(row, { action, title, hasMenu, isBusy }) {
  const [first, menu] = row.querySelectorAll("button");
  first.hidden = !action;
  menu.hidden = !hasMenu;
  menu.setAttribute("aria-label", texts.list.more(title));
  menu.title = texts.list.more(title);
  if (!action) return;
  first.dataset.action = action;
  first.disabled = isBusy && isCalling(action);
  first.querySelector("use").setAttribute("href", `#icon-${icons[action]}`);
  const label = texts.list.action(actionName(action), title);
  Object.assign(first, { title: label, ariaLabel: label });
}

function keptSorting() {
  try {
    const kept = localStorage.getItem(storageKey);
    return sortings.includes(kept) ? kept : sortings[0];
  } catch {
    return sortings[0];
  }
}

function keepSorting(sorting) {
  try {
    localStorage.setItem(storageKey, sorting);
  } catch {
    // It lasts as long as the page then.
  }
}
