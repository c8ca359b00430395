// What the hub and the devices send, as their sources and the API's description spell it.

import { readdirSync, readFileSync } from "node:fs";

const top = new URL("../../../", import.meta.url);

export function source(path) {
  return readFileSync(new URL(path, top), "utf8");
}

export function apiDescription() {
  return JSON.parse(source("docs/reference/openapi.json"));
}

/** The Swift sources of a folder and of those below it. */
export function swiftSources(folder) {
  const entries = readdirSync(new URL(`${folder}/`, top), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return swiftSources(path);
    return path.endsWith(".swift") ? [source(path)] : [];
  });
}

/** The raw values of a Swift enum with a case a line. */
export function rawValues(text, name) {
  const body = new RegExp(`enum ${name}\\b[^{]*\\{(.*?)\\n\\s*\\}`, "s").exec(text)?.[1] ?? "";
  return [...body.matchAll(/^\s*case (\w+)(?: = "([^"]+)")?$/gm)].map(([, caseName, raw]) => raw ?? caseName);
}
