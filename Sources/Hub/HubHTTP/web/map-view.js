// A map of where the devices are: coordinates and a scale, drawn here, without images of other sites.

import { stateOf } from "./device-order.js";
import { coordinateText, isPosition } from "./device-texts.js";
import { byID, setText } from "./dom.js";
import { boundedScale, clustersOf, graticule, pixelOf, planeOf, scaleBar, sectionOf } from "./map.js";
import { labelSides } from "./map-labels.js";
import { closeMenu, openMenu } from "./menu.js";
import { distanceText } from "./formats.js";
import { statusText, texts } from "./texts.js";

/** So near to each other a finger could not tell two dots apart, in pixels. */
const clusterDistance = 44;
const widestBar = 140;
const zoomStep = 2;
/** A cluster's members that no zoom divides are listed. */
const maxListed = 30;
/** What of a cluster is seen from afar: the worst. */
const worstFirst = ["offline", "do-not-disturb", "busy", "unknown", "available"];
const svgNamespace = "http://www.w3.org/2000/svg";

/** Dispatches `open` (detail: the user) when a device is to be opened. */
export class MapView extends EventTarget {
  #known;
  #ownPosition;
  /** What shows of the plane; null until it is chosen to show all. */
  #section = null;
  /** Whether the person has moved it: until then it follows the devices. */
  #isMoved = false;
  #isShown = false;

  /** `ownPosition` returns this person's position where it is shared, or null. */
  constructor({ known, ownPosition }) {
    super();
    this.#known = known;
    this.#ownPosition = ownPosition;
    known.addEventListener("change", () => this.#render());
    new ResizeObserver(() => this.#render()).observe(byID("map"));
    byID("map-in").addEventListener("click", () => this.#zoom(zoomStep));
    byID("map-out").addEventListener("click", () => this.#zoom(1 / zoomStep));
    byID("map-all").addEventListener("click", () => this.#showAll());
    byID("map-points").addEventListener("click", (event) => this.#clicked(event));
    this.#bindMoving();
  }

  show() {
    this.#isShown = true;
    byID("map").hidden = false;
    this.#render();
  }

  hide() {
    this.#isShown = false;
    byID("map").hidden = true;
  }

  /** Another person's devices are elsewhere. */
  clear() {
    this.#isMoved = false;
    this.#section = null;
    this.#render();
  }

  get #size() {
    return { width: byID("map").clientWidth, height: byID("map").clientHeight };
  }

  get #users() {
    return this.#known.all().filter(({ kind, userLocation }) => kind === "device" && isPosition(userLocation));
  }

  #render() {
    const size = this.#size;
    if (!this.#isShown || !size.width || !size.height) return;
    const users = this.#users;
    const own = this.#ownPosition();
    const places = users.map(({ userLocation }) => planeOf(userLocation));
    setText(byID("map-empty"), users.length || !this.#known.isLoaded ? "" : texts.map.none);
    if (!this.#isMoved) this.#section = sectionOf(own ? [...places, planeOf(own)] : places, size);
    const points = users.map((user, index) => ({ ...pixelOf(places[index], this.#section, size), user, place: places[index] }))
      .filter(({ x, y }) => x > -clusterDistance && y > -clusterDistance && x < size.width + clusterDistance && y < size.height + clusterDistance);
    this.#drawGrid(size, own);
    this.#drawPoints(clustersOf(points, clusterDistance), size);
    this.#drawScale();
  }

  #drawGrid(size, own) {
    const { longitudes, latitudes, decimals } = graticule(this.#section, size);
    const parts = [
      ...longitudes.map(({ x }) => shape("line", { x1: x, x2: x, y1: 0, y2: size.height })),
      ...latitudes.map(({ y }) => shape("line", { y1: y, y2: y, x1: 0, x2: size.width })),
      ...longitudes.map(({ degrees, x }) => shape("text", { x: x + 4, y: 14 }, coordinateText({ longitude: degrees }, decimals))),
      ...latitudes.map(({ degrees, y }) => shape("text", { x: 4, y: y - 4 }, coordinateText({ latitude: degrees }, decimals))),
    ];
    if (own) {
      const { x, y } = pixelOf(planeOf(own), this.#section, size);
      parts.push(shape("circle", { cx: x, cy: y, r: 7, class: "own" }), shape("text", { x: x + 12, y: y + 5, class: "own" }, texts.map.you));
    }
    byID("map-grid").setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    byID("map-grid").replaceChildren(...parts);
  }

  /** Points keep their elements while their members stay, so that the keyboard's focus does too. */
  #drawPoints(clusters, size) {
    const elements = new Map([...byID("map-points").children].map((element) => [element.dataset.key, element]));
    const titles = clusters.map(({ members: [first, ...others] }) => (others.length ? "" : first.user.userTitle));
    const labels = labelSides(clusters.map(({ x, y }, index) => ({ x, y, title: titles[index] })), size.width);
    const shown = clusters.map((cluster, index) => {
      const key = cluster.members.map(({ user }) => user.userID).join(" ");
      const element = elements.get(key) ?? pointElement(key);
      fillPoint(element, cluster, labels[index]);
      return element;
    });
    const kept = new Set(shown);
    for (const element of elements.values()) if (!kept.has(element)) element.remove();
    for (const element of shown) if (!element.isConnected) byID("map-points").append(element);
  }

  #drawScale() {
    const { metres, width } = scaleBar(this.#section, widestBar);
    byID("map-scale").style.width = `${width}px`;
    byID("map-scale").textContent = distanceText(metres);
  }

  #clicked({ target }) {
    const element = target.closest(".point");
    if (!element) return;
    const ids = new Set(element.dataset.key.split(" "));
    const members = this.#users.filter(({ userID }) => ids.has(userID));
    if (members.length === 1) this.#open(members[0]);
    else if (members.length) this.#openCluster(element, members);
  }

  #openCluster(element, members) {
    const section = sectionOf(members.map(({ userLocation }) => planeOf(userLocation)), this.#size);
    const isCloser = section.scale > this.#section.scale * 1.2;
    if (isCloser) return this.#move(section);
    const items = members.slice(0, maxListed).map(({ userID, userTitle }) => ({ action: userID, text: userTitle, icon: "camera" }));
    return openMenu(element, items, (userID) => this.#open(members.find((user) => user.userID === userID)));
  }

  #open(user) {
    this.dispatchEvent(new CustomEvent("open", { detail: user }));
  }

  #showAll() {
    this.#isMoved = false;
    this.#render();
  }

  /** Around a point of the window, `{x, y}` in pixels; its middle unless given. */
  #zoom(factor, at = null) {
    if (!this.#section) return;
    const { width, height } = this.#size;
    const { x, y, scale } = this.#section;
    const next = boundedScale(scale * factor, width);
    const offset = { x: (at ? at.x - width / 2 : 0), y: (at ? at.y - height / 2 : 0) };
    const shift = 1 / scale - 1 / next;
    this.#move({ x: x + offset.x * shift, y: y + offset.y * shift, scale: next });
  }

  #move({ x, y, scale }) {
    closeMenu();
    this.#isMoved = true;
    this.#section = { x: x - Math.floor(x), y: Math.min(Math.max(y, 0), 1), scale };
    this.#render();
  }

  /** By the mouse, a finger or two, the wheel, and the keyboard's arrows. */
  #bindMoving() {
    const map = byID("map");
    const pointers = new Map();
    map.addEventListener("pointerdown", (event) => {
      if (event.target.closest("button")) return;
      map.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, this.#pointOf(event));
    });
    map.addEventListener("pointermove", (event) => {
      if (pointers.has(event.pointerId)) this.#dragged(pointers, event);
    });
    for (const name of ["pointerup", "pointercancel"]) map.addEventListener(name, ({ pointerId }) => pointers.delete(pointerId));
    map.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.#zoom(1.0015 ** -Math.min(Math.max(event.deltaY, -400), 400), this.#pointOf(event));
    }, { passive: false });
    map.addEventListener("keydown", (event) => this.#pressed(event));
  }

  #dragged(pointers, event) {
    const before = [...pointers.values()];
    pointers.set(event.pointerId, this.#pointOf(event));
    const after = [...pointers.values()];
    if (after.length > 2 || !this.#section) return;
    const { scale, x, y } = this.#section;
    const [from, to] = [middle(before), middle(after)];
    this.#move({ x: x - (to.x - from.x) / scale, y: y - (to.y - from.y) / scale, scale });
    if (after.length === 2) this.#zoom(distance(after) / Math.max(1, distance(before)), to);
  }

  #pressed(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "+" || event.key === "-") return this.#zoom(event.key === "+" ? zoomStep : 1 / zoomStep);
    if (!step || !this.#section) return undefined;
    event.preventDefault();
    const { x, y, scale } = this.#section;
    return this.#move({ x: x + (80 * step[0]) / scale, y: y + (80 * step[1]) / scale, scale });
  }

  #pointOf({ clientX, clientY }) {
    const { left, top } = byID("map").getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }
}

function pointElement(key) {
  const element = document.createElement("button");
  Object.assign(element, { type: "button", className: "point" });
  element.dataset.key = key;
  element.append(Object.assign(document.createElement("span"), { className: "dot" }));
  element.append(Object.assign(document.createElement("span"), { className: "label" }));
  return element;
}

function fillPoint(element, { x, y, members }, label) {
  const states = members.map(({ user }) => stateOf(user));
  const isCluster = members.length > 1;
  const [{ user }] = members;
  element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  element.dataset.state = worstFirst.find((state) => states.includes(state)) ?? "unknown";
  element.dataset.side = label ?? "none";
  element.toggleAttribute("data-cluster", isCluster);
  element.querySelector(".dot").textContent = isCluster ? String(members.length) : "";
  element.querySelector(".label").textContent = isCluster ? "" : user.userTitle;
  const text = isCluster ? texts.map.cluster(members.length) : `${user.userTitle}, ${statusText(user.status)}`;
  Object.assign(element, { title: text, ariaLabel: text });
}

function shape(name, attributes, text = null) {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
  if (text !== null) element.textContent = text;
  return element;
}

function middle(points) {
  return { x: points.reduce((sum, { x }) => sum + x, 0) / points.length, y: points.reduce((sum, { y }) => sum + y, 0) / points.length };
}

function distance([one, other]) {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
