// The newest image of each camera on the wall, for as long as the wall shows.

import { Rounds } from "./rounds.js";

/**
 * A device opens its camera for an image, and answers all who ask within two seconds with the same one. The hub carries four
 * answers of devices at once for a person: half of them are left for what they open meanwhile.
 */
const pace = { atOnce: 2, shortest: 10_000, share: 2_500 };
/** A device that could not, or is away, is asked again no sooner than this. */
const afterFailure = 30_000;
/** More names than a device has cameras are no device's. */
const maxCameras = 4;
const mainCamera = "device";

/**
 * Keeps, by the key of a camera, `{ url, takenAt, error }`: the object URL of its newest image and when that came (milliseconds
 * since 1970), and why there is no newer one, or null. Dispatches `image` (detail: the key) when that has changed, and `cameras`
 * (detail: the device's id) once the names of a device's cameras are known.
 */
export class CameraImages extends EventTarget {
  #hub;
  #images = new Map();
  #names = new Map();
  #rounds = new Rounds((key) => this.#refresh(key), pace);
  /** Counts logins: an answer for an earlier one is dropped. */
  #era = 0;

  constructor(hub) {
    super();
    this.#hub = hub;
  }

  start() {
    this.#rounds.start();
  }

  stop() {
    this.#rounds.stop();
  }

  /** Forgets everything. */
  clear() {
    this.#era += 1;
    this.#rounds.stop();
    this.#rounds.clear();
    for (const { url } of this.#images.values()) if (url) URL.revokeObjectURL(url);
    this.#images.clear();
    this.#names.clear();
  }

  /** Has the images with these keys refreshed, and no others. */
  show(keys) {
    this.#rounds.set(keys.filter((key) => !isFinal(this.#images.get(key)?.error)));
  }

  /** Undefined before the first answer. */
  get(key) {
    return this.#images.get(key);
  }

  /** Of a device, the main camera first; that one alone before the device has named them. */
  camerasOf(userID) {
    return this.#names.get(userID) ?? [mainCamera];
  }

  /** Resolves to how long to wait before the next image at least. */
  async #refresh(key) {
    const era = this.#era;
    const { userID, camera } = partsOf(key);
    try {
      if (!this.#names.has(userID)) await this.#loadNames(userID, era);
      const blob = await this.#hub.snapshot(userID, camera === mainCamera ? null : camera);
      if (era === this.#era) this.#put(key, { url: URL.createObjectURL(blob), takenAt: Date.now(), error: null });
      return 0;
    } catch (error) {
      if (era !== this.#era) return 0;
      this.#put(key, { error });
      return Math.max(afterFailure, (error.retryAfter ?? 0) * 1_000, isFinal(error) ? Infinity : 0);
    }
  }

  /** A device of an earlier version, or behind such a hub, names none. */
  async #loadNames(userID, era) {
    const names = await this.#hub.cameras(userID).then(({ items }) => items, (error) => {
      if (error.status === 404) return [];
      throw error;
    });
    if (era !== this.#era) return;
    const taken = (Array.isArray(names) ? names : []).filter((name) => typeof name === "string").slice(0, maxCameras);
    this.#names.set(userID, taken.length ? taken : [mainCamera]);
    this.dispatchEvent(new CustomEvent("cameras", { detail: userID }));
  }

  #put(key, change) {
    const before = this.#images.get(key) ?? { url: null, takenAt: null };
    if (change.url && before.url) URL.revokeObjectURL(before.url);
    this.#images.set(key, { ...before, ...change });
    this.dispatchEvent(new CustomEvent("image", { detail: key }));
  }
}

/** The key of a device's camera. */
export function cameraKey(userID, camera) {
  return JSON.stringify([userID, camera]);
}

export function partsOf(key) {
  const [userID, camera] = JSON.parse(key);
  return { userID, camera };
}

/** Whether the device shows this person no images at all. */
function isFinal(error) {
  return error?.status === 403;
}
