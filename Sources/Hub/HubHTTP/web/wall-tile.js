// One camera on the wall.

import { fromTemplate, setPressed } from "./dom.js";
import { ageText } from "./formats.js";
import { addressOf } from "./route.js";
import { cameraLabel, snapshotErrorText, statusText, texts } from "./texts.js";

/** An image that is older is shown as such, in milliseconds. */
const freshFor = 120_000;

export class WallTile {
  element = fromTemplate("tile-template");
  /** What {@link fill} got last. */
  camera = null;
  #image = null;
  #live = null;

  constructor(key) {
    this.element.dataset.key = key;
  }

  /** `camera` is `{user, camera, isMain, isLive, isStill}`: whether it can be seen live, and by images. */
  fill(camera) {
    this.camera = camera;
    const { user, isMain, isLive } = camera;
    const title = isMain ? user.userTitle : `${user.userTitle}, ${cameraLabel(camera.camera)}`;
    Object.assign(this.element.dataset, { title: user.userTitle, camera: camera.camera, status: user.status });
    this.#part(".title").textContent = title;
    this.#part("a").href = addressOf({ view: "devices", id: user.userID });
    this.#part("a").setAttribute("aria-label", texts.wall.open(title));
    this.#part("img").alt = texts.wall.image(title);
    const button = this.#part("button");
    button.hidden = !isLive;
    const label = this.#live ? texts.wall.stop(title) : texts.wall.live(title);
    Object.assign(button, { title: label, ariaLabel: label });
    this.#render();
  }

  /** `image` is what {@link CameraImages} keeps of it. */
  showImage(image) {
    this.#image = image ?? null;
    const element = this.#part("img");
    if (image?.url && element.src !== image.url) element.src = image.url;
    if (!image?.url) element.removeAttribute("src");
    element.hidden = !image?.url;
    this.#render();
  }

  /** `live` is `{stream, isConnected}`; null when it is not seen live. */
  showLive(live) {
    this.#live = live ?? null;
    const video = this.#part("video");
    const stream = live?.stream ?? null;
    if (video.srcObject !== stream) video.srcObject = stream;
    video.hidden = !live?.isConnected;
    setPressed(this.#part("button"), Boolean(live));
    if (this.camera) this.fill(this.camera);
  }

  showAge() {
    if (this.camera) this.#render();
  }

  #render() {
    if (!this.camera) return;
    const { user, isStill } = this.camera;
    const age = this.#image?.takenAt ? Date.now() - this.#image.takenAt : null;
    const isOld = !this.#live && (user.status === "offline" || Boolean(this.#image?.error) || age > freshFor);
    this.element.dataset.image = this.#live ? "live" : !this.#image?.url ? "none" : isOld ? "old" : "fresh";
    this.#part(".reason").textContent = this.#reason(user, isStill);
    const parts = [
      this.#live?.isConnected ? texts.wall.isLive : "", user.status === "available" ? "" : statusText(user.status),
      isOld && age !== null ? texts.wall.imageAge(ageText(age / 1000)) : "",
    ];
    this.#part(".detail").textContent = parts.filter(Boolean).join(" · ");
  }

  /** Why there is no image, where there is none. */
  #reason(user, isStill) {
    if (this.#live) return this.#live.isConnected ? "" : texts.wall.connecting;
    if (this.#image?.url) return "";
    if (user.status === "offline") return statusText("offline");
    if (!isStill || this.#image?.error?.status === 403) return texts.wall.noImages;
    return this.#image?.error ? snapshotErrorText(this.#image.error) : texts.wall.loading;
  }

  #part(selector) {
    return this.element.querySelector(selector);
  }
}
