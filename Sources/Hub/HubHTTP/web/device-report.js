// How a device says that it is: what administrators see of it in the list of accounts and on its page.

import { ageText, dayAndTimeText, sizeText } from "./formats.js";
import { locale } from "./language.js";
import { eventLabel, texts } from "./view-texts.js";

const maxProblemLength = 160;

/** What does not work, of a report that is one; empty where all does. */
export function problemText(report) {
  if (!Array.isArray(report?.problems) || report.problems.length === 0) return "";
  const [first, ...others] = report.problems.map((part) => String(part).slice(0, 40));
  const reason = report.problem ? `: ${String(report.problem).slice(0, maxProblemLength)}` : "";
  return [`${first}${reason}`, ...others].join("; ");
}

/** Version, uptime, cameras, disk, clock, temperature and last event, as far as they are known. */
export function reportText(report) {
  if (typeof report?.version !== "string") return "";
  const words = texts.report;
  return [
    report.version,
    Number.isFinite(report.uptime) ? words.runs(ageText(report.uptime)) : null,
    Number.isFinite(report.cameras) ? words.cameras(report.cameras) : null,
    Number.isFinite(report.diskFree) ? words.free(sizeText(report.diskFree)) : null,
    Number.isFinite(report.temperature) ? degrees(report.temperature) : null,
    report.isClockSynchronized === false ? words.clock : null,
    report.lastEvent && Number.isFinite(report.lastEventAt)
      ? words.event(eventLabel(String(report.lastEvent)), dayAndTimeText(report.lastEventAt)) : null,
  ].filter(Boolean).join(" · ");
}

function degrees(celsius) {
  return new Intl.NumberFormat(locale, { style: "unit", unit: "celsius", maximumFractionDigits: 0 }).format(celsius);
}
