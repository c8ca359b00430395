// The form by which an operator creates an account, or changes one.

import { changesOf, groupsIn } from "./accounts.js";
import { byID, setText } from "./dom.js";
import { errorText } from "./texts.js";
import { texts } from "./view-texts.js";

export class AccountDialog {
  #hub;
  #onDone;
  /** The one that is changed; null for a new one of {@link #kind}. */
  #account = null;
  #kind = "person";

  /** `onDone` is called after a change, with `{grant}` of a new account, which has its key or code. */
  constructor(hub, onDone) {
    [this.#hub, this.#onDone] = [hub, onDone];
    byID("account-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    byID("account-cancel").addEventListener("click", () => this.close());
  }

  create(kind) {
    this.#show(null, kind, kind === "device" ? texts.administration.newDevice : texts.administration.newPerson);
  }

  edit(account) {
    this.#show(account, account.kind, texts.administration.edit);
  }

  close() {
    byID("account-dialog").close();
    byID("account-dialog").hidden = true;
  }

  #show(account, kind, heading) {
    [this.#account, this.#kind] = [account, kind];
    setText(byID("account-heading"), heading);
    setText(byID("account-error"), "");
    byID("account-title").value = account?.title ?? "";
    byID("account-role").value = account?.role ?? "user";
    byID("account-role-row").hidden = kind === "device";
    byID("account-groups").value = account?.groups.join(", ") ?? "";
    byID("account-disabled").checked = account?.isDisabled ?? false;
    byID("account-disabled-row").hidden = account === null;
    byID("account-dialog").hidden = false;
    byID("account-dialog").showModal();
  }

  async #save() {
    const button = byID("account-save");
    button.disabled = true;
    setText(byID("account-error"), "");
    try {
      const grant = this.#account ? await this.#change() : await this.#make();
      this.close();
      this.#onDone({ grant });
    } catch (error) {
      // Which group or role it was, the hub says best.
      setText(byID("account-error"), error.status === 403 && error.detail ? `${error.detail}.` : errorText(error));
    } finally {
      button.disabled = false;
    }
  }

  async #change() {
    const changes = changesOf(this.#account, {
      ...this.#fields(), isDisabled: byID("account-disabled").checked,
    });
    if (changes) await this.#hub.changeAccount(this.#account.id, changes);
    return null;
  }

  #make() {
    return this.#hub.createAccount({ ...this.#fields(), kind: this.#kind });
  }

  #fields() {
    return {
      title: byID("account-title").value.trim(), groups: groupsIn(byID("account-groups").value),
      ...(this.#kind === "person" && { role: byID("account-role").value }),
    };
  }
}
