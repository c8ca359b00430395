// Plays all files of one recording as one: a main video and small ones by one clock.

import { ArchiveClock, correctionOf, lengthOf, placeIn, streamsOf } from "./archive-clock.js";
import { ClipMarks } from "./archive-clip.js";
import { byID, setPressed } from "./dom.js";
import { errorText } from "./texts.js";
import { texts } from "./view-texts.js";

/** How often the videos are compared with the clock, in milliseconds. */
const beat = 100;
/** The permission to read by `<video>` is renewed so often; the hub gives it for a quarter of an hour. */
const renewal = 600_000;
const speeds = [0.5, 1, 1.5, 2, 4];
/** Seconds of a frame where the video did not say. */
const usualFrame = 1 / 15;
/** Seconds before its end at which a recording is at its last frame. */
const lastFrame = 0.02;

/** Dispatches `problem` (detail: text). */
export class ArchivePlayer extends EventTarget {
  #hub;
  /** `{userID, archiveID, streams, titleOf, sources}` of what shows; null for none. */
  #shown = null;
  #clock = new ArchiveClock(0);
  #tracks = [];
  #main = null;
  #timers = [];
  #frame = usualFrame;
  #isWanted = false;
  #marks = new ClipMarks();

  constructor(hub) {
    super();
    this.#hub = hub;
    const on = (id, does) => byID(id).addEventListener("click", does);
    on("player-play", () => this.toggle());
    on("player-back", () => this.step(-1));
    on("player-forward", () => this.step(1));
    on("clip-from", () => this.#mark("from"));
    on("clip-to", () => this.#mark("to"));
    byID("player-seek").addEventListener("input", () => this.seek(Number(byID("player-seek").value)));
    byID("player-speed").addEventListener("change", () => this.setSpeed(Number(byID("player-speed").value)));
    byID("player-sound").addEventListener("change", () => this.#showSound());
    byID("archives").addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** Shows a recording: `titleOf(stream)` names its streams, `sources` gives addresses of files. */
  open({ userID, archiveID, files, titleOf, sources }, { seconds = 0, camera = null, isPlaying = true } = {}) {
    this.close();
    const streams = streamsOf(files);
    this.#shown = { userID, archiveID, streams, sources };
    this.#clock = new ArchiveClock(lengthOf(streams));
    this.#tracks = streams.map((stream) => this.#track(stream, titleOf(stream)));
    byID("player-videos").replaceChildren(...this.#tracks.map(({ figure }) => figure));
    this.#offerSound();
    byID("player-seek").max = String(lengthOf(streams));
    byID("archive-player").dataset.archiveId = archiveID;
    byID("archive-player").hidden = false;
    this.#marks.clear(lengthOf(streams));
    this.setSpeed(1);
    this.choose(this.#tracks.find((track) => camera && track.stream.camera === camera) ?? this.#tracks[0]);
    this.#isWanted = isPlaying;
    this.seek(seconds ?? 0);
    this.#timers = [setInterval(() => this.#beat(), beat), setInterval(() => this.#renew(), renewal)];
  }

  close() {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    for (const { video } of this.#tracks) unload(video);
    this.#tracks = [];
    this.#shown?.sources.end();
    [this.#shown, this.#main, this.#isWanted] = [null, null, false];
    byID("player-videos").replaceChildren();
    byID("archive-player").hidden = true;
  }

  /** Where the recording is, in seconds. */
  get moment() {
    return this.#clock.at(performance.now());
  }

  toggle() {
    if (!this.#shown) return;
    this.#isWanted = !this.#isWanted;
    if (this.#isWanted && this.moment >= Number(byID("player-seek").max) - 0.05) this.seek(0);
    this.#beat();
  }

  seek(moment) {
    this.#clock.seek(moment, performance.now());
    for (const track of this.#tracks) track.isLate = true;
    this.#beat();
  }

  /** Pauses, and goes to the next frame or the one before. */
  step(count) {
    this.#isWanted = false;
    this.seek(this.moment + count * this.#frame);
  }

  setSpeed(rate) {
    this.#clock.setRate(rate, performance.now());
    byID("player-speed").value = String(rate);
  }

  /** Makes a stream the main one. */
  choose(track) {
    if (!track) return;
    this.#main = track;
    for (const { figure, button } of this.#tracks) {
      figure.dataset.main = String(figure === track.figure);
      setPressed(button, figure === track.figure);
    }
    this.#showClip();
  }

  // One video

  #track(stream, title) {
    const [figure, video, button, label] = ["figure", "video", "button", "span"].map((name) => document.createElement(name));
    Object.assign(figure.dataset, { stream: stream.id });
    Object.assign(video, { playsInline: true, preload: "auto", preservesPitch: true });
    label.textContent = title;
    button.type = "button";
    button.setAttribute("aria-label", texts.recordings.showCamera(title));
    button.append(video, label);
    figure.append(button);
    const track = { stream, title, figure, video, button, filename: null, isLate: true, triedAt: -Infinity };
    button.addEventListener("click", () => { if (this.#main === track) this.toggle(); else this.choose(track); });
    video.addEventListener("error", () => this.#failed(track));
    watchFrames(video, (seconds) => { this.#frame = seconds; });
    return track;
  }

  /** Brings all videos to the clock, which follows the main one and waits for it. */
  #beat() {
    if (!this.#shown) return;
    const now = performance.now();
    const leading = this.#clock.isRunning ? leadOf(this.#main) : null;
    if (leading !== null) this.#clock.seek(leading, now);
    const isAtEnd = this.#clock.at(now) >= Number(byID("player-seek").max);
    if (isAtEnd) this.#isWanted = false;
    const moment = this.#clock.at(now);
    const places = this.#tracks.map((track) => this.#place(track, moment));
    const isReady = this.#tracks.every((track, index) => !places[index] || track !== this.#main || isShowing(track));
    if (this.#isWanted && isReady && !this.#clock.isRunning) this.#clock.run(now);
    if ((!this.#isWanted || !isReady) && this.#clock.isRunning) this.#clock.hold(now);
    this.#tracks.forEach((track, index) => this.#follow(track, places[index]));
    this.#showMoment();
  }

  /** Loads the file in which the moment lies; returns where in it that is. */
  #place(track, moment) {
    // At its end a recording shows its last frame.
    const last = Math.max(0, Number(byID("player-seek").max) - lastFrame);
    const place = placeIn(track.stream, Math.min(moment, last));
    track.figure.dataset.gap = String(!place);
    if (place && place.file.filename !== track.filename) this.#load(track, place);
    return place;
  }

  async #load(track, { file, seconds }) {
    track.filename = file.filename;
    track.figure.dataset.filename = file.filename;
    const shown = this.#shown;
    try {
      const address = await shown.sources.address(file);
      if (this.#shown !== shown || track.filename !== file.filename) return;
      track.video.src = address;
      track.video.currentTime = seconds;
    } catch (error) {
      if (this.#shown === shown) this.#complain(errorText(error));
    }
  }

  #follow(track, place) {
    const { video } = track;
    if (!place || !video.src || video.error) return video.pause();
    const shouldRun = this.#clock.isRunning;
    const lead = video.currentTime - place.seconds;
    const { jump, rate } = correctionOf(lead, this.#clock.rate);
    const isLeading = track === this.#main && shouldRun;
    const hasNoMore = video.ended && lead < 0;
    if (!video.seeking && !hasNoMore && (track.isLate ? Math.abs(lead) > 0.005 : (jump && !isLeading) || (!shouldRun && Math.abs(lead) > 0.05))) {
      video.currentTime = place.seconds;
    }
    if (!video.seeking) track.isLate = false;
    const wanted = isLeading ? this.#clock.rate : rate;
    if (video.playbackRate !== wanted) video.playbackRate = wanted;
    if (shouldRun && video.paused) video.play().catch(() => {});
    if (!shouldRun && !video.paused) video.pause();
  }

  /** The permission may have run out while the machine slept: it is asked for again, once in a while. */
  async #failed(track) {
    const now = performance.now();
    if (!this.#shown || !track.video.src || now - track.triedAt < 10_000) return this.#complain(texts.recordings.playFailed);
    track.triedAt = now;
    await this.#renew();
    track.filename = null;
    track.isLate = true;
  }

  async #renew() {
    try {
      await this.#shown?.sources.renew();
    } catch (error) {
      this.#complain(errorText(error));
    }
  }

  #complain(detail) {
    if (this.#shown) this.dispatchEvent(new CustomEvent("problem", { detail }));
  }

  // What shows

  #showMoment() {
    const moment = this.moment;
    byID("player-seek").value = String(moment);
    byID("player-time").textContent = `${clockText(moment)} / ${clockText(Number(byID("player-seek").max))}`;
    byID("player-seek").setAttribute("aria-valuetext", clockText(moment));
    byID("archive-player").dataset.playing = String(this.#clock.isRunning);
    byID("player-play").textContent = this.#isWanted ? texts.recordings.pause : texts.recordings.play;
  }

  /** The sound of all streams together, or of one. */
  #offerSound() {
    const heard = this.#tracks.filter(({ stream }) => stream.camera === null);
    const offered = [["", texts.recordings.allSound], ...heard.map(({ stream, title }) => [stream.id, title]), ["-", texts.recordings.noSound]];
    byID("player-sound").replaceChildren(...offered.map(([value, text]) => option(value, text)));
    byID("player-sound").value = "";
    this.#showSound();
  }

  #showSound() {
    const chosen = byID("player-sound").value;
    for (const { stream, video } of this.#tracks) video.muted = chosen !== "" && chosen !== stream.id;
  }

  #mark(end) {
    this.#marks.set(end, this.moment);
    this.#showClip();
  }

  #showClip() {
    const { userID, archiveID } = this.#shown ?? {};
    const file = this.#main && (placeIn(this.#main.stream, this.#marks.from ?? 0)?.file ?? this.#main.stream.files[0]);
    this.#marks.show(file ? ({ from, to }) => this.#hub.clipAddress(userID, archiveID, file.filename, { from, to }) : null);
  }

  #pressed(event) {
    if (!this.#shown || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const faster = (count) => this.setSpeed(speeds.at(Math.max(0, Math.min(speeds.length - 1, speeds.indexOf(this.#clock.rate) + count))));
    const keys = {
      " ": () => this.toggle(), k: () => this.toggle(), ArrowLeft: () => this.seek(this.moment - 5),
      ArrowRight: () => this.seek(this.moment + 5), j: () => this.seek(this.moment - 10), l: () => this.seek(this.moment + 10),
      ",": () => this.step(-1), ".": () => this.step(1), "<": () => faster(-1), ">": () => faster(1),
      i: () => this.#mark("from"), o: () => this.#mark("to"), Home: () => this.seek(0),
    };
    const does = keys[event.key] ?? (/^[1-9]$/.test(event.key) ? () => this.choose(this.#tracks[Number(event.key) - 1]) : null);
    if (!does) return;
    event.preventDefault();
    does();
  }
}

/** Whether the key belongs to what has the focus. */
function isTyping({ key, target }) {
  const name = target.localName;
  if (name === "select" || name === "textarea") return true;
  if (name === "input") return target.type !== "range";
  return (name === "button" || name === "a") && (key === " " || key === "Enter");
}

function isShowing({ video, isLate }) {
  return !isLate && !video.seeking && video.readyState >= 3 || Boolean(video.error) || video.ended;
}

/** Where a recording is by its main video, in seconds; null while that cannot say. */
function leadOf({ stream, filename, video, isLate }) {
  const file = stream.files.find((candidate) => candidate.filename === filename);
  if (!file || isLate || video.seeking || video.ended || video.error || video.readyState < 1) return null;
  return file.startTimeOffset / 1000 + video.currentTime;
}

function unload(video) {
  video.pause();
  video.removeAttribute("src");
  video.load?.();
}

/** Reports how long a frame lasts, as playing shows. */
function watchFrames(video, report) {
  let before = null;
  const seen = (now, { mediaTime }) => {
    const passed = before === null ? 0 : mediaTime - before;
    if (passed > 0.005 && passed < 0.5) report(passed);
    before = mediaTime;
    video.requestVideoFrameCallback(seen);
  };
  video.requestVideoFrameCallback?.(seen);
}

function option(value, text) {
  const element = document.createElement("option");
  Object.assign(element, { value, textContent: text });
  return element;
}

/** As `1:02:03.4`. */
export function clockText(seconds) {
  const tenths = Math.max(0, Math.round(seconds * 10));
  const parts = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60, Math.floor(tenths / 10) % 60];
  const [hours, minutes, rest] = parts.map((part) => String(part).padStart(2, "0"));
  return `${parts[0] ? `${hours}:` : ""}${minutes}:${rest}.${tenths % 10}`;
}
