// The strip of a day: recordings as spans, events as marks.

import { byID } from "./dom.js";
import { eventKinds } from "./event-kinds.js";
import { hoursOf, placeOf } from "./timeline.js";
import { deviceEventText, recordingText } from "./texts.js";

/** A span that would be narrower has no places within it that a pointer could mean. */
const narrow = 8;

/** What is on the strip is one stop of the tab key; arrows, Home and End go from one thing to the next. */
export class TimelineView extends EventTarget {
  constructor() {
    super();
    byID("timeline").addEventListener("keydown", (event) => this.#pressed(event));
    byID("timeline").addEventListener("click", ({ target }) => {
      if (target.closest("button")) this.#aim(target.closest("button"));
    });
  }

  /** Dispatches `choose` (detail: `{time, event, recording}`) for what is clicked. */
  show(day, recordings, events) {
    byID("timeline-hours").replaceChildren(...hoursOf(day).map(({ time, hour }) => mark(time, day, String(hour).padStart(2, "0"))));
    const things = [
      ...recordings.map((recording) => ({ time: recording.start, button: this.#recording(recording, day) })),
      ...events.map((event) => ({ time: event.start, button: this.#event(event, day) })),
    ];
    things.sort((left, right) => left.time - right.time);
    byID("timeline").replaceChildren(...things.map(({ button }) => button));
    if (things.length) things.at(-1).button.tabIndex = 0;
  }

  clear() {
    byID("timeline").replaceChildren();
    byID("timeline-hours").replaceChildren();
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
