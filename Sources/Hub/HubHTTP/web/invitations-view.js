// Invitations of guests, for operators: making one, its link, and the list of those that there are.

import { byID, fromTemplate, setText } from "./dom.js";
import { dayAndTimeText } from "./formats.js";
import { qrCode } from "./qr.js";
import { errorText } from "./texts.js";
import { clientText, texts } from "./view-texts.js";

const maximumListed = 1_000;
const hour = 3_600_000;
/** The list is asked for again after this time, in milliseconds: a guest who comes in changes it. */
const interval = 10_000;
/** A QR code has no room for more, in bytes. */
const longestCode = 213;

export class InvitationsView {
  #hub;
  /** Lists are numbered as they are asked for; only the newest is shown. */
  #asked = 0;
  #timer = null;
  /** What is listed, as text: an entry that is pressed is not exchanged for its like. */
  #listed = "";
  #link = "";

  constructor(hub) {
    this.#hub = hub;
    byID("invitation-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#make();
    });
    byID("invitation-copy").addEventListener("click", () => this.#copy());
    byID("invitation-share").addEventListener("click", () => this.#share());
    byID("invitation-share").hidden = !navigator.share;
  }

  /** `deviceID` is whom to invite to, if that is known. */
  open(deviceID = null) {
    byID("invitations").hidden = false;
    this.#forgetLink();
    this.#loadDevices(deviceID);
    this.#load();
  }

  close() {
    clearTimeout(this.#timer);
    this.#asked += 1;
    byID("invitations").hidden = true;
    byID("invitation-list").replaceChildren();
    this.#listed = "";
    this.#forgetLink();
  }

  async #loadDevices(deviceID) {
    const select = byID("invitation-device");
    try {
      const { items } = await this.#hub.devices();
      select.replaceChildren(...items.map(({ id, title }) => new Option(title, id)));
      if (items.some(({ id }) => id === deviceID)) select.value = deviceID;
      byID("invitation-make").disabled = items.length === 0;
    } catch (error) {
      setText(byID("invitation-state"), errorText(error));
    }
  }

  async #load() {
    clearTimeout(this.#timer);
    const number = ++this.#asked;
    try {
      const { items } = await this.#hub.invitations();
      if (number !== this.#asked) return;
      this.#show(items.slice(0, maximumListed));
    } catch (error) {
      if (number === this.#asked) setText(byID("invitations-state"), errorText(error));
    }
    if (number === this.#asked) this.#timer = setTimeout(() => this.#load(), interval);
  }

  #show(items) {
    setText(byID("invitations-state"), items.length ? "" : texts.invitations.none);
    const listed = JSON.stringify(items);
    if (listed === this.#listed) return;
    this.#listed = listed;
    byID("invitation-list").replaceChildren(...items.map((entry) => this.#entry(entry)));
  }

  async #make() {
    setText(byID("invitation-state"), "");
    this.#forgetLink();
    try {
      this.#showLink(await this.#makeLink());
      this.#load();
    } catch (error) {
      setText(byID("invitation-state"), errorText(error));
    }
  }

  async #makeLink() {
    const media = byID("invitation-media").value;
    const start = byID("invitation-from").value ? new Date(byID("invitation-from").value).getTime() : null;
    const until = (start ?? Date.now()) + Number(byID("invitation-hours").value) * hour;
    const wish = {
      name: byID("invitation-name").value.trim() || texts.invitations.guest, deviceID: byID("invitation-device").value, until,
    };
    const hub = new URL("./", location.href).href;
    setText(byID("invitation-hint"), media === "link" ? texts.invitations.onceLink : texts.invitations.once);
    if (media === "link") return new URL((await this.#hub.makeViewLink(wish)).link, hub).href;
    const { code } = await this.#hub.invite({ ...wish, media, ...(start && { from: start }) });
    return `${hub}#/guest/${code}`;
  }

  /** The link is the secret: it is shown once, and nowhere kept. */
  #showLink(link) {
    this.#link = link;
    byID("invitation-link").value = link;
    byID("invitation-qr").replaceChildren();
    if (new TextEncoder().encode(link).length <= longestCode) {
      const image = qrCode(link);
      image.setAttribute("aria-label", texts.invitations.qr);
      byID("invitation-qr").append(image);
    }
    byID("invitation-made").hidden = false;
    byID("invitation-copy").focus();
  }

  #forgetLink() {
    this.#link = "";
    byID("invitation-made").hidden = true;
    byID("invitation-link").value = "";
    byID("invitation-qr").replaceChildren();
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#link);
      setText(byID("invitation-state"), texts.invitations.copied);
    } catch {
      byID("invitation-link").select();
      setText(byID("invitation-state"), texts.invitations.notCopied);
    }
  }

  async #share() {
    try {
      await navigator.share({ url: this.#link });
    } catch (error) {
      if (error.name !== "AbortError") setText(byID("invitation-state"), errorText(error));
    }
  }

  #entry(invitation) {
    const { id, name, deviceTitle, group, state } = invitation;
    const entry = fromTemplate("invitation-template");
    const target = String(deviceTitle ?? group ?? "");
    entry.querySelector(".title").textContent = texts.invitations.title(String(name), target);
    entry.querySelector(".detail").textContent = detailText(invitation);
    const button = entry.querySelector("button");
    button.hidden = state === "expired" || state === "revoked";
    button.addEventListener("click", () => this.#revoke(id));
    return entry;
  }

  async #revoke(id) {
    try {
      await this.#hub.revokeInvitation(id);
    } catch (error) {
      // One that has ended already is what was wanted.
      if (error.status !== 404) return setText(byID("invitations-state"), errorText(error));
    }
    this.#load();
  }
}

function detailText({ state, media, isLink, from, until, madeBy, usedAt, address, client }) {
  const words = texts.invitations;
  const used = usedAt && words.used(dayAndTimeText(usedAt), String(address ?? ""), clientText(String(client ?? "")));
  return [
    isLink && state === "used" ? "" : texts.invitationStates[state] ?? String(state), texts.invitationMedia[isLink ? "link" : media] ?? String(media),
    words.span(dayAndTimeText(from), dayAndTimeText(until)), words.madeBy(String(madeBy)), used,
  ].filter(Boolean).join(" · ");
}
