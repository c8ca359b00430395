// The part of a recording that is to be downloaded: its two marks on the seek bar, and the link.

import { byID } from "./dom.js";
import { texts } from "./view-texts.js";

/** The hub takes no longer ones, in seconds. */
const longest = 900;

/** What is between two marks, in seconds; null where it is none that can be downloaded. */
export function clipOf(from, to, length) {
  if (from === null && to === null) return null;
  const [start, end] = [from ?? 0, Math.min(to ?? length, length)].map((moment) => Math.round(moment * 1000) / 1000);
  return end > start && end - start <= longest ? { from: start, to: end } : null;
}

export class ClipMarks {
  #length = 0;
  from = null;
  #to = null;

  clear(length) {
    [this.#length, this.from, this.#to] = [length, null, null];
    this.show(null);
  }

  /** Sets `from` or `to`; a mark on the wrong side of the other one takes that away. */
  set(end, moment) {
    if (end === "from") [this.from, this.#to] = [moment, this.#to !== null && this.#to <= moment ? null : this.#to];
    else [this.from, this.#to] = [this.from !== null && this.from >= moment ? null : this.from, moment];
  }

  /** `addressOf` gives the address of a clip. */
  show(addressOf) {
    const [start, end] = [this.from ?? 0, this.#to ?? this.#length];
    const bar = byID("clip-span");
    bar.hidden = this.from === null && this.#to === null;
    bar.style.left = `${this.#length ? (start / this.#length) * 100 : 0}%`;
    bar.style.width = `${this.#length ? (Math.max(0, end - start) / this.#length) * 100 : 0}%`;
    const clip = addressOf && clipOf(this.from, this.#to, this.#length);
    const link = byID("clip-download");
    link.hidden = !clip;
    if (clip) link.href = addressOf(clip);
    byID("clip-hint").textContent = !bar.hidden && !clip ? texts.recordings.clipTooLong(longest / 60) : "";
  }
}
