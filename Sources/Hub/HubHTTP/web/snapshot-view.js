// Snapshots of a device's cameras.

import { byID, fromTemplate, setPressed, setText } from "./dom.js";
import { timeText } from "./formats.js";
import { cameraLabel, snapshotErrorText, texts } from "./texts.js";

/** More names than a device has cameras are no device's. */
const maxCameras = 4;
const mainCamera = "device";

/**
 * One snapshot of each camera; they are requested manually, again if need be. With several cameras each has a small one, and
 * the chosen one a large one, too.
 */
export class SnapshotView {
  #hub;
  /** The device, its cameras and which is chosen; a late answer for another one finds that it is not shown any more. */
  #shown = null;

  constructor(hub) {
    this.#hub = hub;
    byID("snapshot-again").addEventListener("click", () => this.#load());
  }

  open(user) {
    this.close();
    this.#shown = { user, cameras: [], chosen: null };
    byID("snapshot").hidden = false;
    byID("snapshot-heading").textContent = texts.snapshot.headingOf(user.userTitle);
    byID("snapshot").scrollIntoView({ block: "nearest" });
    return this.#load();
  }

  close() {
    for (const { url } of this.#shown?.cameras ?? []) if (url) URL.revokeObjectURL(url);
    this.#shown = null;
    byID("snapshot").hidden = true;
    byID("snapshot-cameras").hidden = true;
    byID("snapshot-cameras").replaceChildren();
    showImage(byID("snapshot-picture"), null);
  }

  async #load() {
    const shown = this.#shown;
    byID("snapshot-again").disabled = true;
    setText(byID("snapshot-state"), texts.snapshot.asking);
    try {
      // A device that named none may have been away only.
      const isNamed = shown.cameras.some(({ name }) => name !== null);
      const names = isNamed ? null : await this.#names(shown.user);
      if (this.#shown !== shown) return;
      if (names) this.#list(names);
      // One after another: a device answers few requests at once.
      for (const camera of shown.cameras) {
        await this.#take(camera, shown);
        if (this.#shown !== shown) return;
      }
    } catch (error) {
      if (this.#shown === shown) setText(byID("snapshot-state"), snapshotErrorText(error));
    } finally {
      if (this.#shown === shown) byID("snapshot-again").disabled = false;
    }
  }

  /** Null stands for the main camera of a device that names none: of an earlier version, or behind such a hub. */
  async #names(user) {
    try {
      const answer = await this.#hub.cameras(user.userID);
      const names = Array.isArray(answer?.items) ? answer.items.filter((name) => typeof name === "string") : [];
      return names.length ? names.slice(0, maxCameras) : [null];
    } catch (error) {
      if (error.status === 404) return [null];
      throw error;
    }
  }

  #list(names) {
    const shown = this.#shown;
    for (const { url } of shown.cameras) if (url) URL.revokeObjectURL(url);
    shown.cameras = names.map((name) => ({ name, url: null, text: "", button: fromTemplate("snapshot-camera-template") }));
    for (const camera of shown.cameras) {
      camera.button.dataset.camera = camera.name ?? mainCamera;
      camera.button.querySelector(".name").textContent = cameraLabel(camera.name ?? mainCamera);
      camera.button.addEventListener("click", () => this.#choose(camera));
    }
    byID("snapshot-cameras").replaceChildren(...shown.cameras.map(({ button }) => button));
    byID("snapshot-cameras").hidden = names.length < 2;
    shown.chosen = shown.cameras[0];
    setPressed(shown.chosen.button, true);
  }

  async #take(camera, shown) {
    let url = null;
    let text;
    try {
      url = URL.createObjectURL(await this.#hub.snapshot(shown.user.userID, camera.name));
      text = timeText(Date.now());
    } catch (error) {
      text = snapshotErrorText(error);
    }
    const outdated = this.#shown === shown ? camera.url : url;
    if (outdated) URL.revokeObjectURL(outdated);
    if (this.#shown !== shown) return;
    Object.assign(camera, { url, text });
    showImage(camera.button.querySelector("img"), url);
    if (camera === shown.chosen) this.#choose(camera);
  }

  #choose(camera) {
    for (const { button } of this.#shown.cameras) setPressed(button, button === camera.button);
    this.#shown.chosen = camera;
    showImage(byID("snapshot-picture"), camera.url);
    setText(byID("snapshot-state"), camera.text);
  }
}

function showImage(image, url) {
  image.hidden = !url;
  if (url) image.src = url;
  else image.removeAttribute("src");
}
