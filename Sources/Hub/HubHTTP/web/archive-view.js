// The list of a device's recordings, and the player.

import { byDay, camerasOf, dayTitle, detailOf, matching, partyOf, streamTitle, titleOf } from "./archive-list.js";
import { ArchivePlayer } from "./archive-player.js";
import { askName, confirmRemoval } from "./archive-question.js";
import { ArchiveSources, listArchives } from "./archives.js";
import { byID, fromTemplate, setText } from "./dom.js";
import { percentText } from "./formats.js";
import { Thumbnails } from "./thumbnails.js";
import { showsManagement } from "./permits.js";
import { cameraLabel, errorText } from "./texts.js";
import { texts } from "./view-texts.js";

const filters = ["archive-kind", "archive-camera", "archive-caller"];

/** Dispatches `open` (detail: `{user, archiveID}`) when a recording is chosen. */
export class ArchiveView extends EventTarget {
  #hub;
  #findUser;
  #player;
  /** The device whose list shows, `{user, archives, total}`; a late answer for another one finds that it is not shown any more. */
  #shown = null;
  /** The recording that plays, or is being opened. */
  #opened = null;
  #thumbnails = null;

  /** `findUser` gives a user of the list by id. */
  constructor(hub, findUser = () => null) {
    super();
    [this.#hub, this.#findUser, this.#player] = [hub, findUser, new ArchivePlayer(hub)];
    for (const id of filters) byID(id).addEventListener("change", () => this.#showRows());
    this.#player.addEventListener("problem", ({ detail }) => setText(byID("archives-state"), detail));
  }

  /** Opens one recording and plays it from a moment on (seconds of playing it), of a further camera where one is named. */
  async openAt({ user, archiveID, seconds = null, camera = null }) {
    const isListed = this.#shown?.user.userID === user.userID && this.#shown.archives.length > 0;
    if (isListed && this.#opened?.archiveID === archiveID && !this.#opened.isOpening) {
      if (seconds !== null) this.#player.seek(seconds);
      return;
    }
    if (isListed || await this.open(user)) await this.#open(archiveID, seconds, camera);
  }

  /** Returns whether the list still shows when the device has answered. */
  async open(user) {
    this.#closePlayer();
    this.#thumbnails?.end();
    const shown = (this.#shown = { user, archives: [], total: 0 });
    byID("archives").hidden = false;
    byID("archives-heading").textContent = texts.recordings.headingOf(user.userTitle);
    byID("archive-list").replaceChildren();
    setText(byID("archives-state"), texts.recordings.asking);
    byID("archives").scrollIntoView({ block: "nearest" });
    try {
      Object.assign(shown, await listArchives(this.#hub, user.userID));
      if (this.#shown !== shown) return false;
      this.#offerFilters();
      this.#showRows();
    } catch (error) {
      if (this.#shown === shown) setText(byID("archives-state"), errorText(error));
    }
    return this.#shown === shown;
  }

  close() {
    this.#closePlayer();
    this.#thumbnails?.end();
    this.#shown = null;
    byID("archives").hidden = true;
  }

  // The list

  #offerFilters() {
    const { archives } = this.#shown;
    const sorted = (values) => [...new Set(values.filter(Boolean))].sort((left, right) => left.localeCompare(right));
    const cameras = sorted(archives.flatMap(camerasOf));
    offer("archive-camera", texts.recordings.anyCamera, cameras, cameraLabel);
    const callers = sorted(archives.map((archive) => partyOf(archive, this.#findUser)));
    offer("archive-caller", texts.recordings.anyCaller, callers, (title) => title);
    byID("archive-kind").value = "";
  }

  #showRows() {
    if (!this.#shown) return;
    const { user, archives, total } = this.#shown;
    const [kind, camera, caller] = filters.map((id) => byID(id).value);
    const shown = matching(archives, { kind, camera, caller }, this.#findUser);
    this.#thumbnails?.end();
    this.#thumbnails = new Thumbnails((archiveID) => this.#hub.archiveThumbnail(user.userID, archiveID));
    byID("archive-list").replaceChildren(...byDay(shown).map((day) => this.#day(day)));
    setText(byID("archives-state"), listText(shown.length, archives.length, total));
  }

  #day({ from, archives }) {
    const section = fromTemplate("archive-day-template");
    section.querySelector("h3").textContent = dayTitle(from, Date.now());
    section.querySelector("ul").append(...archives.map((archive) => this.#row(archive)));
    return section;
  }

  #row(archive) {
    const row = fromTemplate("archive-template");
    const title = titleOf(archive, this.#findUser);
    Object.assign(row.dataset, { archiveId: archive.id, status: archive.status });
    row.querySelector(".title").textContent = title;
    row.querySelector(".detail").textContent = detailOf(archive);
    const on = (action, does) => row.querySelector(`[data-action="${action}"]`).addEventListener("click", does);
    row.querySelector('[data-action="open"]').setAttribute("aria-label", texts.recordings.openOne(title));
    on("open", () => this.#chosen(archive.id));
    const isLocked = archive.isLocked === true;
    row.querySelector('[data-action="lock"]').textContent = isLocked ? texts.recordings.unlock : texts.recordings.lock;
    row.querySelector('[data-action="delete"]').disabled = isLocked || archive.status === "started";
    on("lock", () => this.#change(archive, { isLocked: !isLocked }));
    on("rename", async () => {
      const name = await askName(archive.name ?? "");
      if (name !== null) await this.#change(archive, { name });
    });
    on("delete", async () => { if (await confirmRemoval(title)) await this.#remove(archive); });
    // Devices of earlier versions report neither locks nor images.
    const isManaged = archive.isLocked !== undefined && showsManagement(this.#shown.user);
    for (const action of ["lock", "rename", "delete"]) row.querySelector(`[data-action="${action}"]`).hidden = !isManaged;
    if (archive.isLocked !== undefined) this.#thumbnails.add(row.querySelector(".thumbnail"), archive.id);
    return row;
  }

  #change(archive, change) {
    return this.#attempt(async (user) => {
      const { name, isLocked } = await this.#hub.changeArchive(user.userID, archive.id, change);
      Object.assign(archive, { name, isLocked });
      return "";
    });
  }

  #remove(archive) {
    return this.#attempt(async (user) => {
      if (this.#opened?.archiveID === archive.id) this.#closePlayer();
      await this.#hub.deleteArchive(user.userID, archive.id);
      this.#shown.archives = this.#shown.archives.filter(({ id }) => id !== archive.id);
      this.#shown.total -= 1;
      return texts.recordings.removed;
    });
  }

  async #attempt(act) {
    const shown = this.#shown;
    try {
      const text = await act(shown.user);
      if (this.#shown !== shown) return;
      this.#showRows();
      if (text) setText(byID("archives-state"), text);
    } catch (error) {
      // The device's own sentence says more than its status.
      if (this.#shown === shown) setText(byID("archives-state"), error.detail ?? errorText(error));
    }
  }

  // The player

  #chosen(archiveID) {
    const detail = { user: this.#shown.user, archiveID };
    // Where no one leads to it by an address it opens at once.
    if (this.dispatchEvent(new CustomEvent("open", { detail, cancelable: true }))) this.#open(archiveID);
  }

  async #open(archiveID, seconds = null, camera = null) {
    this.#closePlayer();
    const { user, archives } = this.#shown;
    const opened = (this.#opened = { archiveID, isOpening: true });
    setText(byID("archives-state"), texts.recordings.opening);
    try {
      const manifest = await this.#hub.archiveManifest(user.userID, archiveID);
      if (this.#opened !== opened) return;
      opened.isOpening = false;
      const archive = { ...archives.find(({ id }) => id === archiveID), ...manifest };
      setText(byID("archives-state"), manifest.files.length ? "" : texts.recordings.noFiles);
      if (manifest.files.length) this.#play(archive, seconds, camera);
    } catch (error) {
      if (this.#opened === opened) setText(byID("archives-state"), errorText(error));
    }
  }

  #play(archive, seconds, camera) {
    const [{ user }, archiveID] = [this.#shown, archive.id];
    const onProgress = (part) => setText(byID("archives-state"), part < 1 ? texts.recordings.loading(percentText(part)) : "");
    this.#player.open({
      userID: user.userID, archiveID, files: archive.files,
      titleOf: (stream) => streamTitle(stream, archive, user, this.#findUser),
      sources: new ArchiveSources(this.#hub, { userID: user.userID, archiveID }, onProgress),
    }, { seconds, camera });
    byID("archive-player").scrollIntoView({ block: "nearest" });
  }

  #closePlayer() {
    this.#opened = null;
    this.#player.close();
  }
}

function offer(id, all, values, labelOf) {
  const select = byID(id);
  const options = [["", all], ...values.map((value) => [value, labelOf(value)])].map(([value, text]) => {
    const option = document.createElement("option");
    Object.assign(option, { value, textContent: text });
    return option;
  });
  select.replaceChildren(...options);
  select.hidden = values.length < 2;
  select.value = "";
}

/** What a list says of itself: nothing while it has all. */
function listText(shown, count, total) {
  if (!count) return texts.recordings.none;
  if (!shown) return texts.recordings.noMatch;
  return count < total ? texts.recordings.newest(count, total) : "";
}
