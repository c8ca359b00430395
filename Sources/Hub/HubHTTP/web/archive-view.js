// The list of a device's recordings, and the player.

import { fetchFile, listArchives, segmentAfter } from "./archives.js";
import { byID, fromTemplate, setText } from "./dom.js";
import { dayAndTimeText, durationText, percentText, sizeText } from "./formats.js";
import { fileAt } from "./timeline.js";
import { errorText, texts } from "./texts.js";

export class ArchiveView {
  #hub;
  /** The device whose list shows, `{user}`; a late answer for another one finds that it is not shown any more. */
  #shown = null;
  /** Ends the transfers of the player that shows. */
  #transfers = null;
  #urls = [];

  constructor(hub) {
    this.#hub = hub;
  }

  /** Opens one recording and plays it from a moment on (seconds of playing it), of a further camera where one is named. */
  async openAt({ user, archiveID, seconds, camera }) {
    if (await this.open(user)) await this.#openPlayer(archiveID, seconds, camera);
  }

  /** Returns whether the list still shows when the device has answered. */
  async open(user) {
    this.#closePlayer();
    const shown = (this.#shown = { user });
    byID("archives").hidden = false;
    byID("archives-heading").textContent = texts.recordings.headingOf(user.userTitle);
    byID("archive-list").replaceChildren();
    setText(byID("archives-state"), texts.recordings.asking);
    byID("archives").scrollIntoView({ block: "nearest" });
    try {
      const { archives, total } = await listArchives(this.#hub, user.userID);
      if (this.#shown !== shown) return false;
      byID("archive-list").replaceChildren(...archives.map((archive) => this.#row(archive)));
      setText(byID("archives-state"), listText(archives.length, total));
    } catch (error) {
      if (this.#shown === shown) setText(byID("archives-state"), errorText(error));
    }
    return this.#shown === shown;
  }

  close() {
    this.#closePlayer();
    this.#shown = null;
    byID("archives").hidden = true;
  }

  #row(archive) {
    const row = fromTemplate("archive-template");
    Object.assign(row.dataset, { archiveId: archive.id, status: archive.status });
    row.querySelector(".title").textContent = archive.name || dayAndTimeText(archive.createdAt);
    row.querySelector(".detail").textContent = detail(archive);
    const button = row.querySelector("button");
    button.setAttribute("aria-label", texts.recordings.openOne(dayAndTimeText(archive.createdAt)));
    button.addEventListener("click", () => this.#openPlayer(archive.id));
    return row;
  }

  async #openPlayer(archiveID, seconds = null, camera = null) {
    this.#closePlayer();
    const transfers = (this.#transfers = new AbortController());
    setText(byID("archives-state"), texts.recordings.opening);
    try {
      const manifest = await this.#hub.archiveManifest(this.#shown.user.userID, archiveID);
      if (transfers.signal.aborted) return;
      const player = byID("archive-player");
      const start = seconds === null ? null : fileAt(seconds, manifest.files, camera);
      const from = start ? Math.max(0, seconds - start.startTimeOffset / 1000) : 0;
      const figures = manifest.files.map(
        (file) => this.#file(archiveID, file, manifest, transfers.signal, file === start ? from : 0));
      player.replaceChildren(...figures);
      player.dataset.archiveId = archiveID;
      player.hidden = false;
      setText(byID("archives-state"), manifest.files.length ? "" : texts.recordings.noFiles);
      figures[manifest.files.indexOf(start)]?.querySelector("button").click();
    } catch (error) {
      if (!transfers.signal.aborted) setText(byID("archives-state"), errorText(error));
    }
  }

  #file(archiveID, file, manifest, signal, from) {
    const figure = fromTemplate("file-template");
    const { user } = this.#shown;
    figure.dataset.filename = file.filename;
    figure.querySelector(".title").textContent = fileTitle(file, manifest.files, user);
    const seconds = (file.stopTimeOffset - file.startTimeOffset) / 1000;
    figure.querySelector(".detail").textContent = `${durationText(seconds)} · ${sizeText(file.size)}`;
    const button = figure.querySelector("button");
    button.addEventListener("click", () => {
      button.hidden = true;
      this.#load(figure, { userID: user.userID, archiveID, file, signal, from }, button);
    });
    figure.querySelector("video").addEventListener("ended", () => playFile(segmentAfter(file, manifest.files)));
    return figure;
  }

  async #load(figure, request, button) {
    const state = figure.querySelector(".hint");
    const onProgress = (part) => { state.textContent = texts.recordings.loading(percentText(part)); };
    try {
      onProgress(0);
      const file = await fetchFile(this.#hub, { ...request, onProgress });
      if (request.signal.aborted) return;
      const url = URL.createObjectURL(file);
      this.#urls.push(url);
      state.textContent = "";
      play(figure, url, request);
    } catch (error) {
      button.hidden = false;
      state.textContent = errorText(error);
    }
  }

  #closePlayer() {
    this.#transfers?.abort();
    byID("archive-player").hidden = true;
    byID("archive-player").replaceChildren();
    for (const url of this.#urls.splice(0)) URL.revokeObjectURL(url);
  }
}

/** Continues with another file of the player, loading it first if need be. */
function playFile(file) {
  const figure = file && byID("archive-player").querySelector(`[data-filename="${CSS.escape(file.filename)}"]`);
  const video = figure?.querySelector("video");
  if (!video) return;
  figure.scrollIntoView({ block: "nearest" });
  if (video.src) {
    video.currentTime = 0;
    video.play().catch(() => {});
  } else {
    figure.querySelector("button").click();
  }
}

/** Plays a file from `from` seconds on. */
function play(figure, url, { file: { filename }, from }) {
  const video = figure.querySelector("video");
  video.src = url;
  if (from > 0) video.currentTime = from;
  video.hidden = false;
  video.play().catch(() => {});
  const link = figure.querySelector("a");
  link.href = url;
  link.download = filename;
  link.hidden = false;
}

function detail(archive) {
  const parts = [durationText(archive.duration ?? 0), sizeText(archive.size ?? 0)];
  if (archive.status === "started") parts.push(texts.recordings.running);
  if (archive.reason === "recovered") parts.push(texts.recordings.recovered);
  return parts.join(" · ");
}

/**
 * Whose stream a file holds, and which part of it: the device names its own, its further cameras' and its caller's stream, other
 * recorders give a name of theirs.
 */
function fileTitle(file, files, user) {
  const known = { device: user.userTitle, caller: texts.recordings.caller };
  const camera = typeof file.camera === "string" ? texts.recordings.camera(file.camera) : null;
  const title = known[file.streamId] ?? camera ?? (file.connectionData || file.filename);
  const parts = files.filter(({ streamId }) => streamId === file.streamId);
  return parts.length > 1 ? texts.recordings.part(title, parts.indexOf(file) + 1) : title;
}

/** What a list says of itself: nothing while it has all. */
function listText(count, total) {
  if (!count) return texts.recordings.none;
  return count < total ? texts.recordings.newest(count, total) : "";
}
