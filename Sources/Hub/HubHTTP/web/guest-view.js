// What a guest sees: who is invited to what, for how long, and the devices to call.

import { byID, setText } from "./dom.js";
import { dayAndTimeText } from "./formats.js";
import { canKeepKeys } from "./guest-key.js";
import { errorText } from "./texts.js";
import { texts } from "./view-texts.js";

/** How often the devices are asked for while no call is on, in milliseconds. */
const interval = 15_000;
const maximumDevices = 256;

/** Dispatches `call` (detail: the device) when a device is to be called. */
export class GuestView extends EventTarget {
  #hub;
  #guest;
  #timer = null;
  #isBusy = false;
  #onEnter;

  /** `onEnter` is given the login by which the guest is online from then on. */
  constructor(hub, guest, onEnter) {
    super();
    [this.#hub, this.#guest, this.#onEnter] = [hub, guest, onEnter];
    guest.addEventListener("over", ({ detail }) => this.#refuse(detail));
    byID("guest-again").addEventListener("click", () => this.open());
  }

  async open() {
    byID("guest").hidden = false;
    byID("guest-again").hidden = true;
    byID("guest-devices").replaceChildren();
    setText(byID("guest-facts"), "");
    setText(byID("guest-state"), texts.guest.asking);
    if (!canKeepKeys()) return setText(byID("guest-state"), texts.guest.insecure);
    try {
      this.#show(await this.#guest.look());
    } catch (error) {
      this.#refuse(error);
    }
  }

  setBusy(isBusy) {
    this.#isBusy = isBusy;
    byID("guest").hidden = isBusy;
    if (!isBusy) this.#load();
  }

  #show(invitation) {
    const { name, deviceTitle, group, media, from, until, state } = invitation;
    setText(byID("guest-heading"), texts.guest.heading(String(name)));
    setText(byID("guest-facts"), `${texts.guestMedia[media] ?? ""} ${texts.guest.until(dayAndTimeText(until))}`.trim());
    setText(byID("guest-state"), "");
    if (state === "used" && !this.#guest.isOwn) return this.#refuse({ type: "invitation-used", status: 409 });
    if (state === "early") return setText(byID("guest-state"), texts.guest.early(dayAndTimeText(from)));
    if (state !== "open" && state !== "used") return this.#refuse({ type: `invitation-${state}`, status: 410 });
    if (this.#guest.isOwn) return this.#enter();
    const label = deviceTitle ? texts.guest.call(deviceTitle) : texts.guest.show(String(group));
    const button = this.#button(label, () => this.#enter(deviceTitle !== undefined));
    byID("guest-devices").replaceChildren(button);
    button.focus();
  }

  /** `isCalling`: the one device is called at once. */
  async #enter(isCalling = false) {
    setText(byID("guest-state"), texts.guest.asking);
    for (const button of byID("guest-devices").querySelectorAll("button")) button.disabled = true;
    try {
      const login = await this.#guest.enter();
      await this.#onEnter(login);
      const devices = await this.#load();
      if (isCalling && devices.length === 1) this.#call(devices[0]);
    } catch (error) {
      this.#refuse(error);
    }
  }

  async #load() {
    clearTimeout(this.#timer);
    if (!this.#hub.token) return [];
    let devices = [];
    try {
      devices = (await this.#hub.guestOverview()).devices.slice(0, maximumDevices);
      setText(byID("guest-state"), devices.length ? "" : texts.guest.noDevice);
      byID("guest-devices").replaceChildren(...devices.map((device) => this.#entry(device)));
    } catch (error) {
      if (this.#hub.token) setText(byID("guest-state"), errorText(error));
    }
    if (!this.#isBusy && this.#hub.token) this.#timer = setTimeout(() => this.#load(), interval);
    return devices;
  }

  #entry(device) {
    const title = String(device.userTitle);
    const button = this.#button(device.isOnline ? texts.guest.call(title) : texts.guest.offline(title),
      () => this.#call(device));
    button.disabled = !device.isOnline;
    return button;
  }

  #button(label, action) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "primary";
    button.textContent = label;
    button.addEventListener("click", action);
    return button;
  }

  #call({ userID, userTitle }) {
    const { media } = this.#guest.invitation;
    this.dispatchEvent(new CustomEvent("call", { detail: { user: { userID, userTitle, kind: "device" }, media } }));
  }

  /** Only what may pass leaves a way to try again. */
  #refuse(error) {
    clearTimeout(this.#timer);
    byID("guest").hidden = false;
    byID("guest-devices").replaceChildren();
    setText(byID("guest-state"), error.status === 404 ? texts.guest.unknown : errorText(error));
    byID("guest-again").hidden = error.status === 404 || String(error.type).startsWith("invitation-");
  }
}
