// The one clock by which all files of a recording play, and where in the files its moments lie. No DOM: times are arguments.

/** A video that is further from the clock jumps, in seconds; one that is nearer plays a little faster or slower. */
const farthest = 0.4;
/** What needs no correction. */
const near = 0.02;
/** How much faster or slower a video plays to catch up. */
const largestCorrection = 0.25;

/** The streams of a recording, the device's first: `{id, camera, files}`, the files in the order of time. */
export function streamsOf(files) {
  const streams = new Map();
  for (const file of Array.isArray(files) ? files : []) {
    if (!isFile(file)) continue;
    const stream = streams.get(file.streamId) ?? { id: file.streamId, camera: file.camera ?? null, files: [] };
    stream.files.push(file);
    streams.set(file.streamId, stream);
  }
  const found = [...streams.values()];
  for (const stream of found) stream.files.sort((left, right) => left.startTimeOffset - right.startTimeOffset);
  return found.sort((left, right) => rank(left) - rank(right));
}

function rank({ id, camera }) {
  if (id === "device") return 0;
  return camera === null ? 2 : 1;
}

function isFile(file) {
  return typeof file?.filename === "string" && typeof file.streamId === "string"
    && [file.startTimeOffset, file.stopTimeOffset].every(Number.isFinite);
}

/** How long a recording is, in seconds. */
export function lengthOf(streams) {
  return Math.max(0, ...streams.flatMap(({ files }) => files.map(({ stopTimeOffset }) => stopTimeOffset / 1000)));
}

/** The file of a stream in which a moment lies, `{file, seconds}` within it; null in a gap, and before and after it. */
export function placeIn({ files }, moment) {
  const at = moment * 1000;
  // A file whose end is not known yet is being written.
  const file = files.findLast(({ startTimeOffset, stopTimeOffset }) =>
    startTimeOffset <= at && (at < stopTimeOffset || stopTimeOffset <= startTimeOffset));
  return file ? { file, seconds: (at - file.startTimeOffset) / 1000 } : null;
}

/** What brings a video back to the clock that is `lead` seconds ahead of it: `{jump}` or the `{rate}` to play at. */
export function correctionOf(lead, rate) {
  if (Math.abs(lead) > farthest * Math.max(1, rate)) return { jump: true, rate };
  if (Math.abs(lead) <= near * Math.max(1, rate)) return { jump: false, rate };
  const correction = Math.max(-largestCorrection, Math.min(largestCorrection, lead * 1.5));
  return { jump: false, rate: rate * (1 - correction) };
}

/** Where the recording is, in seconds; `now` is in milliseconds of a clock that never goes back. */
export class ArchiveClock {
  #length;
  #base = 0;
  #since = 0;
  #rate = 1;
  #isRunning = false;

  constructor(length) {
    this.#length = length;
  }

  get rate() {
    return this.#rate;
  }

  get isRunning() {
    return this.#isRunning;
  }

  at(now) {
    const passed = this.#isRunning ? ((now - this.#since) / 1000) * this.#rate : 0;
    return Math.min(this.#length, Math.max(0, this.#base + passed));
  }

  run(now) {
    this.#settle(this.at(now), now);
    this.#isRunning = true;
  }

  hold(now) {
    this.#settle(this.at(now), now);
    this.#isRunning = false;
  }

  seek(moment, now) {
    this.#settle(Math.min(this.#length, Math.max(0, moment)), now);
  }

  setRate(rate, now) {
    this.#settle(this.at(now), now);
    this.#rate = rate;
  }

  #settle(moment, now) {
    [this.#base, this.#since] = [moment, now];
  }
}
