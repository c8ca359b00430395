import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { auditDetail, auditTitle, visible } from "../../Sources/Hub/HubHTTP/web/audit-view.js";

const entry = { at: 0, kind: "account-removed", outcome: "done", count: 1, changes: [], actor: { kind: "account", title: "Anna" } };

test("a title forges no entry", () => {
  const title = auditTitle({ ...entry, subject: { kind: "person", id: "1", title: "x\n2026 Login: admin\u001b[2K\u202Enimda" } });
  assert.ok(!/[\n\u001b\u202E]/.test(title), title);
  assert.ok(title.includes("\\u{A}") && title.includes("\\u{1B}") && title.includes("\\u{202E}"), title);
});

test("text keeps its direction to itself, and joiners", () => {
  assert.equal(visible("a\u200Db"), "\u2068a\u200Db\u2069");
  assert.equal(visible("\u2069\u2068"), "\u2068\\u{2069}\\u{2068}\u2069");
});

test("kinds, fields and outcomes that are not known are shown as they are", () => {
  assert.equal(auditTitle({ ...entry, kind: "later-kind", outcome: "later" }), "\u2068later-kind\u2069 – \u2068later\u2069");
  assert.ok(auditDetail({ ...entry, changes: [{ field: "later", after: "x" }] }).endsWith("\u2068later\u2069: \u2068x\u2069"));
  assert.ok(auditDetail({ ...entry, changes: [{ field: "until", after: "<b>" }] }).includes("\u2068<b>\u2069"));
});

test("summaries say how often", () => {
  assert.ok(auditTitle({ ...entry, count: 12, outcome: "refused" }).includes("12 times"));
});
