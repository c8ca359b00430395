// A menu beside a button: one for the whole page.

import { byID } from "./dom.js";

/** From the window's edge and from the button, in pixels. */
const margin = 8;

let opener = null;
let choose = null;

export function bindMenu() {
  const menu = byID("menu");
  menu.addEventListener("click", ({ target }) => {
    const action = target.closest("button")?.dataset.action;
    if (!action) return;
    const onChoose = choose;
    closeMenu();
    onChoose(action);
  });
  menu.addEventListener("keydown", move);
  menu.addEventListener("toggle", ({ newState }) => { if (newState === "closed") closed(); });
  // A phone is turned, and the button is elsewhere.
  addEventListener("resize", () => { if (opener) place(menu, opener.getBoundingClientRect()); });
}

/** Shows `items`, `{action, text, icon?, isDisabled?}` each; `onChoose` gets the action of the chosen one. */
export function openMenu(button, items, onChoose) {
  const isSame = opener === button;
  closeMenu();
  if (isSame) return;
  [opener, choose] = [button, onChoose];
  byID("menu").replaceChildren(...items.map(itemElement));
  byID("menu").hidden = false;
  byID("menu").showPopover?.();
  button.setAttribute("aria-expanded", "true");
  place(byID("menu"), button.getBoundingClientRect());
  byID("menu").querySelector("button:not(:disabled)")?.focus();
}

export function closeMenu() {
  if (!opener) return;
  const hadFocus = byID("menu").contains(document.activeElement);
  const button = opener;
  byID("menu").hidePopover?.();
  closed();
  if (hadFocus) button.focus();
}

function closed() {
  opener?.setAttribute("aria-expanded", "false");
  opener = null;
  byID("menu").hidden = true;
}

function itemElement({ action, text, icon = null, isDisabled = false }) {
  const item = document.createElement("button");
  Object.assign(item, { type: "button", disabled: isDisabled });
  item.setAttribute("role", "menuitem");
  item.dataset.action = action;
  if (icon) item.append(iconElement(icon));
  item.append(text);
  return item;
}

/** One of the page's symbols. */
export function iconElement(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

/** Below the button where there is room, else above it. */
function place(menu, { right, top, bottom }) {
  const { width, height } = menu.getBoundingClientRect();
  const x = Math.min(Math.max(margin, right - width), innerWidth - width - margin);
  const isRoomBelow = bottom + height + margin <= innerHeight;
  menu.style.left = `${x}px`;
  menu.style.top = `${Math.max(margin, isRoomBelow ? bottom + 4 : Math.min(top - height - 4, innerHeight - height - margin))}px`;
}

function move(event) {
  const items = [...byID("menu").querySelectorAll("button:not(:disabled)")];
  const index = items.indexOf(document.activeElement);
  const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Tab") return closeMenu();
  if (event.key === "Escape") {
    event.preventDefault();
    return closeMenu();
  }
  if (next === undefined || !items.length) return undefined;
  event.preventDefault();
  return items.at(next % items.length).focus();
}
