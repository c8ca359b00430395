// The page of someone who came by an invitation.

import { byID, showView } from "./dom.js";
import { Guest } from "./guest.js";
import { GuestView } from "./guest-view.js";

/**
 * Shows the invitation of `code`; a person who is logged in in this browser stays so, in other tabs. `onCall` gets a device and what
 * the call carries, `onOver` is called when the invitation is good for nothing more. Returns the guest.
 */
export function startGuest(code, page) {
  const { hub, calls, onCall, onOver } = page;
  const guest = new Guest(hub, code);
  const view = new GuestView(hub, guest, (login) => enter(login, page));
  view.addEventListener("call", ({ detail: { user, media } }) => onCall(user, media));
  guest.addEventListener("over", () => {
    leave(page);
    onOver();
  });
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

/** Nothing of it is kept: the next page gets a token by the same key. */
async function enter(login, { hub, renewal, events }) {
  hub.token = login.accessToken;
  renewal.start(login);
  byID("own-title").textContent = login.userTitle;
  if (events.eventStreamID) return;
  const greeted = new Promise((resolve) => events.addEventListener("hello", resolve, { once: true }));
  events.start();
  await greeted;
}

function leave({ hub, calls, renewal, presence, events }) {
  hub.token = null;
  calls.hangUp();
  renewal.stop();
  presence.stop();
  events.stop();
}
