// Numbers, durations and times, as the person's language and region write them.

import { locale } from "./language.js";

/** The time of day of a moment (milliseconds since 1970). */
export function timeText(time) {
  return new Date(time).toLocaleTimeString(locale);
}

/** Day and time of a moment, to the minute. */
export function dayAndTimeText(time) {
  return new Date(time).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
}

/** The time of day of a moment, to the minute. */
export function minuteText(time) {
  return new Date(time).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
}

/** The day of a moment, with its weekday. */
export function weekdayText(time) {
  return new Date(time).toLocaleDateString(locale, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
}

/** Seconds as `m:ss`, from an hour on as `h:mm:ss`. */
export function durationText(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const parts = hours ? [hours, padded(minutes)] : [minutes];
  return [...parts, padded(whole % 60)].join(":");
}

export function distanceText(metres) {
  const isFar = metres >= 1000;
  return withUnit(isFar ? metres / 1000 : metres, isFar ? "kilometer" : "meter", metres >= 10_000 || !isFar ? 0 : 1);
}

/** Seconds, minutes, hours or days, rounded down. */
export function ageText(seconds) {
  const [unit, length] = seconds < 60 ? ["second", 1] : seconds < 3_600 ? ["minute", 60] : seconds < 86_400 ? ["hour", 3_600] : ["day", 86_400];
  return withUnit(Math.floor(seconds / length), unit);
}

export function sizeText(bytes) {
  return bytes >= 1e6 ? withUnit(bytes / 1e6, "megabyte", 1) : withUnit(bytes / 1e3, "kilobyte");
}

/** A part from 0 to 1. */
export function percentText(part, digits = 0) {
  const form = { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, form).format(part);
}

export function millisecondText(seconds) {
  return withUnit(seconds * 1000, "millisecond");
}

/** Bits a second; `Intl` has no unit for that. */
export function bitRateText(rate) {
  const isHigh = rate >= 1e6;
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: isHigh ? 1 : 0, minimumFractionDigits: isHigh ? 1 : 0 });
  return `${number.format(isHigh ? rate / 1e6 : rate / 1e3)} ${isHigh ? "Mbit/s" : "kbit/s"}`;
}

/** Formatters take long to make, and lists have hundreds of amounts. */
const unitFormats = new Map();

function withUnit(value, unit, maximumFractionDigits = 0) {
  const key = `${unit} ${maximumFractionDigits}`;
  if (!unitFormats.has(key)) {
    unitFormats.set(key, new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits }));
  }
  return unitFormats.get(key).format(value);
}

function padded(number) {
  return String(number).padStart(2, "0");
}
