// The page of somebody who came by an invitation.

import { byID, showView } from "./dom.js";
import { Guest } from "./guest.js";
import { GuestView } from "./guest-view.js";

/**
 * Shows the invitation of `code`; whoever is logged in in this browser stays so, in other tabs. `onEnter` gets the login by which
 * the guest is online, `onOver` is called when the invitation is good for nothing more, `onCall` gets a device and what the call
 * carries. Returns the guest.
 */
export function startGuest({ hub, calls, code, onEnter, onOver, onCall }) {
  const guest = new Guest(hub, code);
  const view = new GuestView(hub, guest, onEnter);
  view.addEventListener("call", ({ detail: { user, media } }) => onCall(user, media));
  guest.addEventListener("over", onOver);
  calls.addEventListener("call", ({ detail: call }) => {
    call.addEventListener("state", () => view.setBusy(calls.isBusy));
    view.setBusy(true);
  });
  document.body.dataset.guest = "true";
  byID("nearby-panel").hidden = true;
  showView("home");
  view.open();
  return guest;
}
