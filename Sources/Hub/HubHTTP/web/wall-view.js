// What shows while nothing else does: an image of each camera that the person may see, or some of them live.

import { CameraImages, cameraKey } from "./camera-images.js";
import { LiveTiles } from "./live-tiles.js";
import { byID, setText } from "./dom.js";
import { actionsOf, showsSnapshots } from "./permits.js";
import { texts } from "./texts.js";
import { compareTitles } from "./titles.js";
import { WallTile } from "./wall-tile.js";

/** How often the images' ages are brought up to date. */
const ageInterval = 5_000;
/** A page out of sight ends what is live after this long. */
const hiddenLimit = 30_000;

export class WallView {
  #known;
  #isOperator;
  #images;
  #live;
  #tiles = new Map();
  /** The keys of the tiles in sight. */
  #seen = new Set();
  #sight = new IntersectionObserver((entries) => this.#sighted(entries), { rootMargin: "100px" });
  #timer = null;
  #hidden = null;
  #isShown = false;

  /** `known` are the {@link KnownUsers}. */
  constructor({ hub, calls, known, isOperator }) {
    this.#known = known;
    this.#isOperator = isOperator;
    this.#images = new CameraImages(hub);
    this.#live = new LiveTiles(calls);
    known.addEventListener("change", () => this.#render());
    this.#images.addEventListener("cameras", () => this.#render());
    this.#images.addEventListener("image", ({ detail: key }) => this.#tiles.get(key)?.showImage(this.#images.get(key)));
    this.#live.addEventListener("change", ({ detail: key }) => this.#tiles.get(key)?.showLive(this.#live.get(key)));
    document.addEventListener("visibilitychange", () => this.#followVisibility());
    byID("wall-tiles").addEventListener("click", (event) => this.#clicked(event));
  }

  show() {
    this.#isShown = true;
    byID("wall-tiles").hidden = false;
    this.#render();
    this.#followVisibility();
    this.#timer ??= setInterval(() => this.#showAges(), ageInterval);
  }

  hide() {
    this.#isShown = false;
    byID("wall-tiles").hidden = byID("wall-empty").hidden = true;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#live.endAll();
    this.#images.stop();
  }

  /** Forgets all images: the next login may be another person's. */
  clear() {
    this.#live.endAll();
    this.#images.clear();
    this.#render();
  }

  #render() {
    if (!this.#isShown) return;
    const wanted = this.#wanted();
    const keys = new Set(wanted.map(({ key }) => key));
    for (const [key, tile] of this.#tiles) if (!keys.has(key)) this.#remove(key, tile);
    let place = byID("wall-tiles").firstElementChild;
    for (const camera of wanted) {
      const { element } = this.#fill(camera);
      if (element === place) place = place.nextElementSibling;
      else byID("wall-tiles").insertBefore(element, place);
    }
    setText(byID("wall-empty"), wanted.length || !this.#known.isLoaded ? "" : texts.wall.none);
    this.#refresh();
  }

  /** The cameras of the devices that show theirs, or that can be watched; offline devices stand last. */
  #wanted() {
    const rights = { isOperator: this.#isOperator() };
    const devices = this.#known.all().filter((user) => user.kind === "device" && user.isVideo)
      .map((user) => ({ user, isLive: actionsOf(user, rights).includes("watch"), isStill: showsSnapshots(user, rights) }))
      .filter(({ isLive, isStill }) => isLive || isStill);
    devices.sort((one, other) => isAway(one) - isAway(other) || compareTitles(one.user.userTitle, other.user.userTitle));
    return devices.flatMap((device) => this.#images.camerasOf(device.user.userID)
      .map((camera, index) => ({ ...device, camera, isMain: index === 0, key: cameraKey(device.user.userID, camera) })));
  }

  #fill(camera) {
    const tile = this.#tiles.get(camera.key) ?? this.#add(camera.key);
    tile.fill(camera);
    return tile;
  }

  #add(key) {
    const tile = new WallTile(key);
    this.#tiles.set(key, tile);
    tile.showImage(this.#images.get(key));
    this.#sight.observe(tile.element);
    return tile;
  }

  #remove(key, tile) {
    this.#live.end(key);
    this.#sight.unobserve(tile.element);
    this.#seen.delete(key);
    this.#tiles.delete(key);
    tile.element.remove();
  }

  #sighted(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.#seen.add(target.dataset.key);
      else this.#seen.delete(target.dataset.key);
    }
    this.#refresh();
  }

  /** What is live, offline or out of sight needs no images. */
  #refresh() {
    this.#images.show([...this.#seen].filter((key) => {
      const { camera } = this.#tiles.get(key) ?? {};
      return camera?.isStill && camera.user.status !== "offline" && !this.#live.get(key);
    }));
  }

  #clicked({ target }) {
    const button = target.closest("button[data-action=live]");
    const key = target.closest(".tile")?.dataset.key;
    const tile = this.#tiles.get(key);
    if (!button || !tile) return;
    if (this.#live.get(key)) this.#live.end(key);
    else this.#live.start(key, tile.camera);
    this.#refresh();
  }

  #followVisibility() {
    clearTimeout(this.#hidden);
    if (document.hidden || !this.#isShown) this.#images.stop();
    else this.#images.start();
    if (document.hidden) this.#hidden = setTimeout(() => this.#live.endAll(), hiddenLimit);
  }

  #showAges() {
    for (const tile of this.#tiles.values()) tile.showAge();
  }
}

function isAway({ user }) {
  return Number(user.status === "offline");
}
