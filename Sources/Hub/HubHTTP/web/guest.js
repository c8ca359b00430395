// A guest's way in: an invitation's code, and a key that only this browser has.

import { forgetKey, keptKey, makeKey, prove } from "./guest-key.js";
import { received } from "./renewal.js";

/** States of an invitation that end what it lets one do. */
const ends = ["expired", "revoked"];

/** An invitation as this browser has it. Dispatches `over` (detail: the hub's problem) when it is good for nothing more. */
export class Guest extends EventTarget {
  /** What the hub says of the invitation. */
  invitation = null;
  #hub;
  #code;
  #key = null;

  constructor(hub, code) {
    super();
    [this.#hub, this.#code] = [hub, code];
  }

  /** Whether this browser has the invitation, as far as it knows. */
  get isOwn() {
    return this.#key !== null;
  }

  /** Asks what the invitation is good for; nothing is used by that. */
  async look() {
    this.#key ??= await keptKey(this.#code);
    this.invitation = await this.#hub.checkInvitation(this.#code);
    // What another hub, or an earlier try, left behind.
    if (this.invitation.state === "open" && this.#key) {
      await forgetKey(this.#code);
      this.#key = null;
    }
    return this.invitation;
  }

  /** Uses the invitation in this browser, or shows that it has been used here; returns a login. */
  async enter() {
    if (this.#key) return this.obtain();
    // Kept before it is sent: an answer may get lost.
    const { key, text } = await makeKey(this.#code);
    const login = received(await this.#redeemFirst(text));
    this.#key = key;
    return login;
  }

  /** A further login of the same invitation. */
  async obtain() {
    try {
      const { challenge, state } = await this.#hub.checkInvitation(this.#code);
      if (ends.includes(state)) throw Object.assign(new Error(state), { type: `invitation-${state}`, status: 410 });
      const proof = await prove(this.#key, challenge);
      return received(await this.#hub.redeemInvitation({ code: this.#code, challenge, proof }));
    } catch (error) {
      if (isOver(error)) this.dispatchEvent(new CustomEvent("over", { detail: error }));
      throw error;
    }
  }

  /** Once more with the same key where no answer came: the hub may have given the invitation to this browser. */
  async #redeemFirst(text) {
    const redemption = { code: this.#code, key: text };
    try {
      return await this.#hub.redeemInvitation(redemption);
    } catch (error) {
      if (!error.status) return this.#hub.redeemInvitation(redemption);
      await forgetKey(this.#code);
      throw error;
    }
  }
}

/** Whether an error says that the invitation lets this browser do nothing more. */
export function isOver({ type, status }) {
  return status === 404 || (typeof type === "string" && type.startsWith("invitation-"));
}
