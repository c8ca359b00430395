// In a narrow window, what of the bar has no room there: a menu of it.

import { byID } from "./dom.js";
import { openMenu } from "./menu.js";

/** The buttons that `data-fold` marks go into the menu, as far as they are there for this person. */
export function bindBarMenu() {
  byID("bar-more").addEventListener("click", () => {
    const buttons = [...document.querySelectorAll(".who [data-fold]")].filter(({ hidden }) => !hidden);
    const items = buttons.map(({ id, textContent, ariaLabel }) => ({ action: id, text: textContent.trim() || ariaLabel }));
    openMenu(byID("bar-more"), items, (id) => byID(id).click());
  });
}
