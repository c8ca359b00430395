// A device's key or a person's code, shown once: to read, to copy, and as a QR code.

import { enrolmentCommand } from "./accounts.js";
import { byID, setText } from "./dom.js";
import { qrCode } from "./qr.js";
import { texts } from "./view-texts.js";

export class GrantDialog {
  #shown = "";

  constructor() {
    byID("grant-close").addEventListener("click", () => this.close());
    byID("grant-copy").addEventListener("click", () => this.#copy());
    byID("grant").addEventListener("close", () => this.#forget());
  }

  /** What the hub answers: an account with `enrolmentKey` or `code`. */
  show({ account, enrolmentKey, code }) {
    const secret = enrolmentKey ?? code;
    if (!secret) return;
    const words = texts.administration;
    setText(byID("grant-heading"), enrolmentKey ? words.keyOf(account.title) : words.codeOf(account.title));
    setText(byID("grant-words"), enrolmentKey ? words.keyOnce : words.codeOnce);
    byID("grant-secret").textContent = secret;
    setText(byID("grant-command"), enrolmentKey ? enrolmentCommand(enrolmentKey) : "");
    const image = qrCode(secret);
    image.setAttribute("aria-label", words.qr);
    byID("grant-qr").replaceChildren(image);
    this.#shown = enrolmentKey ? byID("grant-command").textContent : secret;
    setText(byID("grant-state"), "");
    byID("grant").hidden = false;
    byID("grant").showModal();
  }

  close() {
    byID("grant").close();
    this.#forget();
  }

  /** Nothing of it stays in the document. */
  #forget() {
    this.#shown = "";
    byID("grant").hidden = true;
    byID("grant-secret").textContent = "";
    byID("grant-command").textContent = "";
    byID("grant-qr").replaceChildren();
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#shown);
      setText(byID("grant-state"), texts.administration.copied);
    } catch {
      setText(byID("grant-state"), texts.administration.notCopied);
    }
  }
}
