// How the list, the wall, the map and a device's page say what is known of someone.

import { locale } from "./language.js";
import { ageText, distanceText } from "./formats.js";
import { positionAgeText, statusText, texts } from "./texts.js";

/** Whether someone can be called, and since when a device cannot, as far as known. */
export function presenceText({ status, lastSeen }) {
  if (status !== "offline" || !lastSeen) return statusText(status);
  return texts.list.offlineFor(ageText(Math.max(0, Date.now() - lastSeen) / 1_000));
}

/** "52.51° N", of one of the two. */
export function coordinateText({ latitude, longitude }, decimals) {
  const value = latitude ?? longitude;
  const { north, south, east, west } = texts.map;
  const [positive, negative] = latitude === undefined ? [east, west] : [north, south];
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return `${new Intl.NumberFormat(locale, digits).format(Math.abs(value))}° ${value < 0 ? negative : positive}`;
}

/** Where a device is, how far away, and how old that is; empty where it is not known. */
export function positionText({ userLocation, distance, positionAge }) {
  if (!isPosition(userLocation)) return "";
  const { latitude, longitude } = userLocation;
  const place = [coordinateText({ latitude }, 5), coordinateText({ longitude }, 5)].join(", ");
  return [place, distance == null ? "" : distanceText(distance), positionAgeText(positionAge)].filter(Boolean).join(" · ");
}

/** Whether a hub's or device's position is one. */
export function isPosition(location) {
  const { latitude, longitude } = location ?? {};
  return Number.isFinite(latitude) && Number.isFinite(longitude) && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}
