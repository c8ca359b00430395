// People, devices and calls in progress, for operators to administrate.

import { AccountDialog } from "./account-dialog.js";
import { groupsOf, matching, stateOf } from "./accounts.js";
import { problemText, reportText } from "./device-report.js";
import { byID, fromTemplate, setText } from "./dom.js";
import { dayAndTimeText } from "./formats.js";
import { GrantDialog } from "./grant-dialog.js";
import { errorText } from "./texts.js";
import { clientText, loginTimeText, texts } from "./view-texts.js";

/** How often lists are asked for while they show, in milliseconds. */
const interval = 10_000;
/** Of several pages of accounts, which cost the hub a reading of all for each page. */
const longInterval = 120_000;
const pageSize = 1_000;
const maximumLogins = 64;

export class AdministrationView {
  #hub;
  #accounts = [];
  #isOpen = false;
  #timer = null;
  /** Lists are numbered as they are asked for; only the newest is shown. */
  #asked = 0;
  #dialog;
  #grant = new GrantDialog();

  constructor(hub) {
    this.#hub = hub;
    this.#dialog = new AccountDialog(hub, ({ grant }) => this.#changed(grant));
    byID("account-search").addEventListener("input", () => this.#renderAccounts());
    for (const id of ["account-kind", "account-group", "account-state"]) {
      byID(id).addEventListener("change", () => this.#renderAccounts());
    }
    byID("new-person").addEventListener("click", () => this.#dialog.create("person"));
    byID("new-device").addEventListener("click", () => this.#dialog.create("device"));
    byID("account-logins-close").addEventListener("click", () => closeDialog("account-logins"));
  }

  open() {
    if (this.#isOpen) return;
    this.#isOpen = true;
    byID("administration").hidden = false;
    this.#load();
  }

  close() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#asked += 1;
    clearTimeout(this.#timer);
    this.#accounts = [];
    byID("administration").hidden = true;
    byID("account-list").replaceChildren();
    byID("active-call-list").replaceChildren();
    this.#dialog.close();
    this.#grant.close();
    closeDialog("account-logins");
  }

  async #load() {
    clearTimeout(this.#timer);
    const number = ++this.#asked;
    try {
      const [{ items, count }, calls] = await Promise.all([this.#hub.accounts(), this.#hub.activeCalls()]);
      if (number !== this.#asked) return;
      this.#accounts = items;
      this.#renderGroups();
      this.#renderAccounts();
      byID("active-call-list").replaceChildren(...calls.items.map((call) => this.#callEntry(call)));
      setText(byID("active-calls-state"), calls.items.length > 0 ? "" : texts.administration.noCalls);
      setText(byID("administration-state"), count > items.length ? texts.administration.more(count - items.length) : "");
    } catch (error) {
      if (number === this.#asked) setText(byID("administration-state"), errorText(error));
    }
    const pause = this.#accounts.length > pageSize ? longInterval : interval;
    if (number === this.#asked) this.#timer = setTimeout(() => this.#load(), pause);
  }

  #changed(grant) {
    if (grant) this.#grant.show(grant);
    if (this.#isOpen) this.#load();
  }

  #renderGroups() {
    const select = byID("account-group");
    const groups = groupsOf(this.#accounts);
    const chosen = groups.includes(select.value) ? select.value : "";
    select.replaceChildren(option("", texts.administration.allGroups), ...groups.map((name) => option(name, name)));
    select.value = chosen;
  }

  #renderAccounts() {
    const found = matching(this.#accounts, {
      search: byID("account-search").value, kind: byID("account-kind").value,
      group: byID("account-group").value, state: byID("account-state").value,
    });
    byID("account-list").replaceChildren(...found.map((account) => this.#accountEntry(account)));
    setText(byID("accounts-none"), found.length > 0 ? "" : texts.administration.nobody);
  }

  #accountEntry(account) {
    const entry = fromTemplate("account-template");
    entry.dataset.state = stateOf(account);
    entry.dataset.account = account.id;
    entry.querySelector(".title").textContent = account.title;
    entry.querySelector(".detail").textContent = accountText(account);
    setText(entry.querySelector(".report"), reportText(account.report));
    setText(entry.querySelector(".problem"), problemText(account.report));
    const isDevice = account.kind === "device";
    const actions = {
      edit: () => this.#dialog.edit(account),
      renew: () => this.#renew(account),
      logins: () => this.#showLogins(account),
      remove: () => this.#remove(account),
    };
    for (const [name, act] of Object.entries(actions)) {
      entry.querySelector(`[data-action="${name}"]`).addEventListener("click", act);
    }
    entry.querySelector('[data-action="renew"]').textContent =
      isDevice ? texts.administration.newKey : texts.administration.newCode;
    entry.querySelector('[data-action="logins"]').hidden = isDevice;
    return entry;
  }

  #callEntry({ sessionID, caller, receiver, startedAt, isAnswered }) {
    const entry = fromTemplate("active-call-template");
    entry.querySelector(".title").textContent = `${caller.userTitle} → ${receiver.userTitle}`;
    entry.querySelector(".detail").textContent = texts.administration.call(dayAndTimeText(startedAt), isAnswered);
    entry.querySelector("button").addEventListener("click", () => this.#try(() => this.#hub.endActiveCall(sessionID)));
    return entry;
  }

  async #renew({ id, kind, title }) {
    const isDevice = kind === "device";
    const question = isDevice ? texts.administration.askKey(title) : texts.administration.askCode(title);
    if (!confirm(question)) return;
    await this.#try(async () => {
      this.#grant.show(await (isDevice ? this.#hub.renewEnrolmentKey(id) : this.#hub.resetPassword(id)));
    });
  }

  async #remove({ id, title }) {
    if (confirm(texts.administration.askRemove(title))) await this.#try(() => this.#hub.removeAccount(id));
  }

  async #showLogins({ id, title }) {
    setText(byID("account-logins-heading"), texts.administration.loginsOf(title));
    byID("account-login-list").replaceChildren();
    byID("account-logins-end").onclick = async () => {
      await this.#try(() => this.#hub.endAccountLogins(id));
      closeDialog("account-logins");
    };
    await this.#try(async () => {
      const { items } = await this.#hub.accountLogins(id);
      byID("account-login-list").replaceChildren(...items.slice(0, maximumLogins).map(loginEntry));
      byID("account-logins-end").hidden = items.length === 0;
      setText(byID("account-logins-state"), items.length > 0 ? "" : texts.administration.noLogins);
      byID("account-logins").hidden = false;
      byID("account-logins").showModal();
    });
  }

  /** What is gone already is what was wanted. */
  async #try(step) {
    try {
      await step();
    } catch (error) {
      if (error.status !== 404) return setText(byID("administration-state"), errorText(error));
    }
    if (this.#isOpen) this.#load();
  }
}

function loginEntry({ client, address, startedAt, renewedAt }) {
  const entry = fromTemplate("account-login-template");
  entry.querySelector(".title").textContent = clientText(String(client));
  entry.querySelector(".detail").textContent = loginTimeText(String(address), startedAt, renewedAt);
  return entry;
}

function accountText(account) {
  const words = texts.administration;
  const state = stateOf(account);
  const seen = state !== "offline" ? words[state]
    : account.lastSeen ? words.lastSeen(dayAndTimeText(account.lastSeen)) : words.neverSeen;
  const code = account.credential === "one-time-code" ? words.awaitsPassword : null;
  const client = account.client && account.kind === "device" && !account.report ? account.client.slice(0, 40) : null;
  return [roleText(account.role), account.groups.join(", "), seen, code, client].filter(Boolean).join(" · ");
}

function roleText(role) {
  const words = texts.administration;
  return {
    __proto__: null, user: words.roleUser, operator: words.roleOperator, administrator: words.roleAdministrator,
    device: words.roleDevice,
  }[role] ?? String(role);
}

function option(value, text) {
  const element = document.createElement("option");
  element.value = value;
  element.textContent = text;
  return element;
}

function closeDialog(id) {
  byID(id).close();
  byID(id).hidden = true;
}
