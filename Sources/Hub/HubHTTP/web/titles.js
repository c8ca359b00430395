// Titles of devices and people: how a short form looks, what a search finds, in which order they stand.

const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

export function compareTitles(one, other) {
  return order.compare(one, other);
}

/** One or two characters for an avatar: of the first and the last word. */
export function initials(title) {
  const words = title.split(/[\s\-_/.,:;()]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => [...word.replace(/^[^\p{L}\p{N}]+/u, "")][0] ?? "").join("").toUpperCase() || "?";
}

/** What a search compares: without capitals and accents. */
export function searchable(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
