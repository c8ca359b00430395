import { define } from "./support/environment.mjs";
import { source } from "./support/sources.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { languageFor, languages } from "../../Sources/Hub/HubHTTP/web/language.js";
import { texts as firstGerman } from "../../Sources/Hub/HubHTTP/web/texts/de.js";
import { texts as viewsGerman } from "../../Sources/Hub/HubHTTP/web/texts/de-views.js";
import { texts as firstEnglish } from "../../Sources/Hub/HubHTTP/web/texts/en.js";
import { texts as viewsEnglish } from "../../Sources/Hub/HubHTTP/web/texts/en-views.js";

const english = { ...firstEnglish, ...viewsEnglish };
const german = { ...firstGerman, ...viewsGerman };
const html = source("Sources/Hub/HubHTTP/web/index.html");
const sample = "1234";

/** By its path, each text; of a function the number of its parameters, and what it makes of a sample. */
function entries(texts) {
  return Object.entries(texts).flatMap(([section, keys]) => Object.entries(keys).map(([key, text]) => {
    const isFunction = typeof text === "function";
    const value = isFunction ? text(...Array(text.length).fill(sample)) : text;
    return [`${section}.${key}`, { arity: isFunction ? text.length : null, value }];
  }));
}

function textAt(path) {
  const [section, key] = path.split(".");
  return english[section]?.[key];
}

test("each language says the same things, in the same of its files", () => {
  const shape = (texts) => entries(texts).map(([path, { arity }]) => `${path}/${arity}`);
  assert.deepEqual(shape(firstGerman), shape(firstEnglish));
  assert.deepEqual(shape(viewsGerman), shape(viewsEnglish));
  assert.deepEqual(Object.keys(languages), ["en", "de"]);
});

test("no text is empty, and each says what it is given", () => {
  for (const [language, texts] of Object.entries({ english, german })) {
    for (const [path, { arity, value }] of entries(texts)) {
      assert.equal(typeof value, "string", `${language} ${path}`);
      assert.ok(value.trim() && !/undefined|\[object|NaN/.test(value), `${language} ${path}: ${value}`);
      if (arity) assert.ok(value.includes(sample), `${language} ${path}: ${value}`);
    }
  }
});

test("the page's own markup says what the English texts say", () => {
  const texts = [...html.matchAll(/<[^>]*\bdata-text="([^"]+)"[^>]*>([^<]*)</g)];
  const labels = [...html.matchAll(/<[^>]*\bdata-label="([^"]+)"[^>]*>/g)];
  assert.ok(texts.length > 50 && labels.length > 15);
  for (const [, path, text] of texts) assert.equal(text, textAt(path), path);
  for (const [tag, path] of labels) {
    const read = [...tag.matchAll(/\b(?:aria-label|title|placeholder|alt)="([^"]*)"/g)].map(([, text]) => text);
    assert.ok(read.length > 0, tag);
    for (const text of read) assert.equal(text, textAt(path), path);
  }
});

test("nothing in the markup is without a text", () => {
  const body = html.slice(html.indexOf("<header")).replaceAll(/<(\w+)[^>]*\bdata-text=[^>]*>[^<]*<\/\1>/g, "");
  const left = [...body.matchAll(/>([^<>]*[A-Za-z]{2}[^<>]*)</g)].map(([, text]) => text.trim());
  assert.deepEqual(left, ["LiveSessions"]);
  for (const [tag] of body.matchAll(/<[^>]*\b(?:aria-label|title|placeholder|alt)="[^"]*[A-Za-z][^>]*>/g)) {
    assert.match(tag, /data-label=/);
  }
});

test("the first of the browser's languages that the page has is chosen", () => {
  const of = (...tags) => languageFor(tags);
  assert.deepEqual([of(), of("fr-FR", "de-AT", "en"), of("en-GB", "de"), of("DE"), of("constructor", "__proto__")],
    ["en", "de", "en", "de", "en"]);
});

/** A module as a browser with these languages loads it; `kept` is what was chosen there. */
async function load(t, name, tags, kept = null) {
  define(t, "navigator", { languages: tags });
  define(t, "localStorage", { getItem: () => kept });
  return import(`../../Sources/Hub/HubHTTP/web/${name}?${tags.join()}&${kept}`);
}

test("numbers and times are written in the browser's way, unless another language was chosen", async (t) => {
  for (const [tags, kept, language, locale] of [
    [["en-GB", "de"], null, "en", "en-GB"], [["de-CH"], null, "de", "de-CH"], [["fr-FR"], null, "en", "fr-FR"],
    [["en-GB"], "de", "de", "de"], [["en-GB", "de-AT"], "de", "de", "de-AT"], [["de"], "odd", "de", "de"], [[], null, "en", undefined],
  ]) {
    const module = await load(t, "language.js", tags, kept);
    assert.deepEqual([module.language, module.locale], [language, locale], tags.join());
  }
});
