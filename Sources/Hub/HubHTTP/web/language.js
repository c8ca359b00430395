// The language of the page: the person's choice in this browser, or the first of the browser's own that the page has.

const storageKey = "livesessions.language";

/** By its tag, what a language calls itself. */
export const languages = { __proto__: null, en: "English", de: "Deutsch" };

/** What was chosen here; null when the browser's languages decide. */
export function chosenLanguage() {
  try {
    const kept = localStorage.getItem(storageKey);
    return kept in languages ? kept : null;
  } catch {
    return null;
  }
}

/** Takes effect when the page is loaded the next time; null has the browser's languages decide again. */
export function chooseLanguage(tag) {
  try {
    if (tag in languages) localStorage.setItem(storageKey, tag);
    else localStorage.removeItem(storageKey);
  } catch {
    // Without storage the browser's languages decide.
  }
}

/** The first of `tags` (such as `de-AT`) that the page has; English for all others. */
export function languageFor(tags) {
  return tags.map(primary).find((tag) => tag in languages) ?? "en";
}

const tags = (navigator.languages ?? []).filter((tag) => typeof tag === "string");
const chosen = chosenLanguage();

export const language = chosen ?? languageFor(tags);
/**
 * How numbers and times are written, for `Intl` and the `toLocale…` functions: the browser's own way, unless another language was
 * chosen than the browser has. Undefined stands for the system's.
 */
export const locale = tags.find((tag) => primary(tag) === language) ?? (chosen ?? tags[0]);

function primary(tag) {
  return tag.toLowerCase().split("-")[0];
}
