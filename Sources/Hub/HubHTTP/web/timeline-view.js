// The strip of a day: recordings as spans, events as marks. It is as wide as its scale says, within a window that scrolls: a
// step of zooming changes one width, and the few labels that show.

import { byID } from "./dom.js";
import { eventKinds } from "./event-kinds.js";
import { timeText } from "./formats.js";
import { labelsOf, placeOf, shownOf, zoomedAbout } from "./timeline.js";
import { deviceEventText, recordingText, texts } from "./view-texts.js";

/** A span that would be narrower has no places within it that a pointer could mean. */
const narrow = 8;
const buttonStep = 2;

/** What is on the strip is one stop of the tab key; arrows, Home and End go from one thing to the next. */
export class TimelineView extends EventTarget {
  #day = null;
  #scale = 1;
  /** Pointers on the strip by id, where they are: two of them zoom. */
  #pointers = new Map();

  /** Dispatches `peek` (detail: `{event, recording, button}` or null) for what the pointer or the focus is on. */
  constructor() {
    super();
    const shown = byID("timeline-window");
    byID("timeline-in").addEventListener("click", () => this.zoom(buttonStep));
    byID("timeline-out").addEventListener("click", () => this.zoom(1 / buttonStep));
    shown.addEventListener("wheel", (event) => this.#rolled(event), { passive: false });
    shown.addEventListener("scroll", () => this.#label(), { passive: true });
    for (const type of ["pointerdown", "pointermove"]) shown.addEventListener(type, (event) => this.#touched(event));
    for (const type of ["pointerup", "pointercancel", "pointerleave"]) {
      shown.addEventListener(type, ({ pointerId }) => this.#pointers.delete(pointerId));
    }
    for (const type of ["pointerover", "focusin"]) byID("timeline").addEventListener(type, ({ target }) => this.#peek(target));
    for (const type of ["pointerleave", "focusout"]) byID("timeline").addEventListener(type, () => this.#peek(null));
    byID("timeline").addEventListener("keydown", (event) => this.#pressed(event));
    byID("timeline").addEventListener("click", ({ target }) => {
      if (target.closest("button")) this.#aim(target.closest("button"));
    });
  }

  /** Dispatches `choose` (detail: `{time, event, recording}`) for what is clicked. */
  show(day, recordings, events) {
    this.#day = day;
    const things = [
      ...recordings.map((recording) => ({ time: recording.start, button: this.#recording(recording, day) })),
      ...events.map((event) => ({ time: event.start, button: this.#event(event, day) })),
    ];
    things.sort((left, right) => left.time - right.time);
    byID("timeline").replaceChildren(...things.map(({ button }) => button));
    if (things.length) things.at(-1).button.tabIndex = 0;
    this.#label();
  }

  /** Shows less of the day (above 1) or more, about a place of the window, its middle unless given, in pixels. */
  zoom(factor, x = null) {
    const { left, width } = this.#place();
    const next = zoomedAbout({ scale: this.#scale, left, width }, factor, x ?? width / 2);
    this.#scale = next.scale;
    byID("timeline-scale").style.width = `${next.scale * 100}%`;
    byID("timeline-window").scrollLeft = next.left;
    this.#label();
  }

  /** Only events of this kind show; all of them for an empty text. */
  filter(kind) {
    for (const button of byID("timeline").children) button.hidden = Boolean(kind && button.dataset.kind && button.dataset.kind !== kind);
  }

  clear() {
    byID("timeline").replaceChildren();
    byID("timeline-hours").replaceChildren();
    this.#day = null;
    this.#peek(null);
  }

  #place() {
    const { scrollLeft, clientWidth } = byID("timeline-window");
    return { scale: this.#scale, left: scrollLeft || 0, width: clientWidth || 1 };
  }

  #label() {
    if (!this.#day) return;
    const place = this.#place();
    const labels = labelsOf(place, this.#day);
    byID("timeline-hours").replaceChildren(...labels.map(({ time, text }) => mark(time, this.#day, text)));
    const { from, before } = shownOf(place, this.#day);
    byID("timeline-shown").textContent = this.#scale > 1 ? texts.events.span(timeText(from), timeText(before)) : "";
  }

  /** At the ends of its scale the strip lets the page scroll. */
  #rolled(event) {
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || (event.deltaY > 0 && this.#scale === 1)) return;
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY / 300), this.#offset(event.clientX));
  }

  #touched(event) {
    if (event.pointerType !== "touch") return;
    const before = this.#spread();
    this.#pointers.set(event.pointerId, event.clientX);
    const after = this.#spread();
    if (!before || !after || event.type === "pointerdown") return;
    this.zoom(after.width / before.width, this.#offset(after.middle));
  }

  /** How far two fingers are apart, and the middle between them; null for one. */
  #spread() {
    if (this.#pointers.size !== 2) return null;
    const [left, right] = [...this.#pointers.values()].sort((first, second) => first - second);
    return { width: Math.max(8, right - left), middle: (left + right) / 2 };
  }

  #offset(clientX) {
    return clientX - byID("timeline-window").getBoundingClientRect().left;
  }

  #peek(target) {
    const button = target?.closest?.("button") ?? null;
    this.dispatchEvent(new CustomEvent("peek", { detail: button && { button, ...button.dataset } }));
  }

  #recording(recording, day) {
    const button = this.#button("span", recordingText(recording), recording.start, day);
    button.dataset.archiveId = recording.id;
    button.style.width = `${(placeOf(recording.end, day) - placeOf(recording.start, day)) * 100}%`;
    button.addEventListener("click", (click) => {
      const time = Math.max(recording.start, this.#clickedTime(click, recording, day));
      this.dispatchEvent(new CustomEvent("choose", { detail: { recording, time } }));
    });
    return button;
  }

  #event(event, day) {
    const { title, detail } = deviceEventText(event);
    const button = this.#button("mark", `${title}, ${detail}`, event.start, day);
    Object.assign(button.dataset, { eventId: event.id, kind: event.kind, mark: eventKinds[event.kind]?.mark ?? "notice" });
    button.addEventListener("click", () => {
      this.dispatchEvent(new CustomEvent("choose", { detail: { event, time: event.start } }));
    });
    return button;
  }

  #button(kind, text, time, day) {
    const button = mark(time, day, "", "button");
    button.type = "button";
    button.className = kind;
    button.title = text;
    button.setAttribute("aria-label", text);
    button.tabIndex = -1;
    return button;
  }

  /** Where on the strip a pointer clicked; the keyboard means the beginning of what is recorded on this day. */
  #clickedTime({ detail, clientX }, recording, day) {
    const { left, width } = byID("timeline").getBoundingClientRect();
    const shown = (placeOf(recording.end, day) - placeOf(recording.start, day)) * width;
    if (!detail || shown < narrow) return Math.max(recording.start, day.from);
    return Math.min(recording.end, day.from + ((clientX - left) / width) * (day.before - day.from));
  }

  #pressed(event) {
    const buttons = [...byID("timeline").children];
    const index = buttons.indexOf(document.activeElement);
    const factor = { "+": buttonStep, "-": 1 / buttonStep }[event.key];
    if (factor) return this.zoom(factor);
    const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined || !buttons[next]) return;
    event.preventDefault();
    this.#aim(buttons[next]);
    buttons[next].focus();
  }

  /** Makes this the one that the tab key reaches. */
  #aim(button) {
    for (const other of byID("timeline").children) other.tabIndex = -1;
    button.tabIndex = 0;
  }
}

function mark(time, day, text, name = "span") {
  const element = document.createElement(name);
  element.style.left = `${placeOf(time, day) * 100}%`;
  element.textContent = text;
  return element;
}
