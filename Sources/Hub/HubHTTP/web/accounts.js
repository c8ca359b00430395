// Accounts as operators see them: which are listed, and what a form says of one.

import { compareTitles } from "./titles.js";

/** What a person may be, the least first. */
export const personRoles = ["user", "operator", "administrator"];

/** Those that fit all of `{search, kind, group, state}`, by title; empty texts fit everything. */
export function matching(accounts, { search = "", kind = "", group = "", state = "" }) {
  const wanted = search.trim().toLocaleLowerCase();
  return accounts.filter((account) =>
    (!wanted || account.title.toLocaleLowerCase().includes(wanted) || account.id.startsWith(wanted))
    && (!kind || account.kind === kind) && (!group || account.groups.includes(group))
    && (!state || stateOf(account) === state)).sort((one, other) => compareTitles(one.title, other.title));
}

/** `disabled`, `online` or `offline`. */
export function stateOf({ isDisabled, isOnline }) {
  return isDisabled ? "disabled" : isOnline ? "online" : "offline";
}

/** All groups of the accounts, in order. */
export function groupsOf(accounts) {
  return [...new Set(accounts.flatMap(({ groups }) => groups))].sort();
}

/** The names in a text with commas or spaces between them. */
export function groupsIn(text) {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))].sort();
}

/** What of an account a form changes, or null for nothing: `{title, role, groups, isDisabled}`. */
export function changesOf(account, form) {
  const changes = {};
  for (const name of ["title", "role", "isDisabled"]) {
    if (form[name] !== undefined && form[name] !== account[name]) changes[name] = form[name];
  }
  if (form.groups.join() !== [...account.groups].sort().join()) changes.groups = form.groups;
  return Object.keys(changes).length > 0 ? changes : null;
}

/** What puts an enrolment key in its place at a device: not as an argument, which every user there could read. */
export function enrolmentCommand(key) {
  const file = "/etc/credstore/livesessions.enrolment-key";
  return `sudo install -D -m 600 /dev/stdin ${file} <<'KEY'\n${key}\nKEY\nsudo systemctl restart livesessionsd`;
}
