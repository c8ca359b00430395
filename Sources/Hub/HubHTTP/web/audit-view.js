// The audit log, for operators: who did what to whom.

import { byID, fromTemplate, setText } from "./dom.js";
import { dayAndTimeText } from "./formats.js";
import { errorText } from "./texts.js";
import { clientText, texts } from "./view-texts.js";

const pageSize = 50;
/** Pages without an entry of the kind that is asked for one after the other, before a person is asked to go on. */
const maximumEmptyPages = 8;

export class AuditView {
  #hub;
  /** Lists are numbered as they are asked for; only the newest is shown. */
  #asked = 0;
  #next = null;

  constructor(hub) {
    this.#hub = hub;
    const kinds = Object.keys(texts.auditKinds).filter((kind) => kind !== "__proto__");
    byID("audit-kind").append(...kinds.map((kind) => new Option(texts.auditKinds[kind], kind)));
    byID("audit-kind").addEventListener("change", () => this.#load(true));
    byID("audit-more").addEventListener("click", () => this.#load(false));
  }

  open() {
    byID("audit").hidden = false;
    this.#load(true);
  }

  close() {
    this.#asked += 1;
    byID("audit").hidden = true;
    byID("audit-list").replaceChildren();
  }

  async #load(isFirst) {
    const number = ++this.#asked;
    if (isFirst) {
      this.#next = null;
      byID("audit-list").replaceChildren();
    }
    byID("audit-more").hidden = true;
    setText(byID("audit-state"), texts.audit.asking);
    try {
      const items = await this.#page(number);
      if (number !== this.#asked) return;
      byID("audit-list").append(...items.map(entryElement));
      byID("audit-more").hidden = this.#next === null;
      setText(byID("audit-state"), byID("audit-list").children.length ? "" : texts.audit.none);
    } catch (error) {
      if (number === this.#asked) setText(byID("audit-state"), errorText(error));
    }
  }

  async #page(number) {
    for (let count = 0; count < maximumEmptyPages; count += 1) {
      const { items, next } = await this.#hub.audit({
        before: this.#next, kind: byID("audit-kind").value || null, limit: pageSize,
      });
      if (number !== this.#asked) return [];
      this.#next = next ?? null;
      if (items.length || this.#next === null) return items.slice(0, pageSize);
    }
    return [];
  }
}

function entryElement(entry) {
  const element = fromTemplate("audit-template");
  element.querySelector(".title").textContent = auditTitle(entry);
  element.querySelector(".detail").textContent = auditDetail(entry);
  return element;
}

/** What happened to whom; what a title has of controls or of other directions changes nothing around it. */
export function auditTitle({ kind, subject, outcome, count }) {
  const what = texts.auditKinds[kind] ?? visible(kind);
  const whom = subject ? `: ${visible(subject.title ?? subject.id)}` : "";
  const times = count > 1 ? ` (${texts.audit.times(count)})` : "";
  const result = outcome === "done" ? "" : ` – ${texts.auditOutcomes[outcome] ?? visible(outcome)}`;
  return what + whom + times + result;
}

export function auditDetail({ at, actor, changes }) {
  // Someone with an account is the usual case, and has a name.
  const who = actor.kind === "account" ? "" : texts.auditActors[actor.kind] ?? visible(actor.kind);
  const name = actor.title ? `${who} ${visible(actor.title)}`.trim() : who;
  return [
    dayAndTimeText(at), actor.address ? texts.audit.from(name, visible(actor.address)) : name,
    ...(changes ?? []).map(changeText),
  ].filter(Boolean).join(" · ");
}

function changeText({ field, before, after }) {
  const name = texts.auditFields[field] ?? visible(field);
  const value = (text) => valueText(field, text);
  return before === undefined ? `${name}: ${value(after)}` : `${name}: ${value(before)} → ${value(after)}`;
}

/** Times are milliseconds since 1970, and codes and programs have names; all else is shown as it is. */
function valueText(field, text = "–") {
  if ((field === "from" || field === "until") && /^\d{1,15}$/.test(text)) return dayAndTimeText(Number(text));
  if (field === "client") return visible(clientText(String(text)));
  return field === "media" ? texts.invitationMedia[text] ?? visible(text) : visible(text);
}

/** A text as one line in isolation; controls are shown as what they are. */
export function visible(text) {
  const shown = String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (mark) => (
    mark === "\u200C" || mark === "\u200D" ? mark : `\\u{${mark.codePointAt(0).toString(16).toUpperCase()}}`
  ));
  return `\u2068${shown}\u2069`;
}
