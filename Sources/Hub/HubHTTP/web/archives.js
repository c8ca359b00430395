// A device's recordings, fetched through the hub.

import { Silence } from "./silence.js";

/** A piece that fails is fetched again alone; fewer pieces cost fewer of the requests that the hub permits a minute. */
const pieceSize = 8 * 1024 * 1024;
const attempts = 3;
/** A slow device takes long for a piece, but some of it arrives; the hub itself gives up a transfer after 30 s. */
const silenceLimit = 35_000;

/** The device's archives, newest first. */
export async function listArchives(hub, userID) {
  const answer = await hub.archives(userID);
  const items = Array.isArray(answer) ? answer : answer?.items ?? [];
  const total = Math.max(items.length, Number.isSafeInteger(answer?.count) ? answer.count : 0);
  return { archives: [...items].sort((left, right) => right.createdAt - left.createdAt), total };
}

/**
 * Addresses at which `<video>` elements play an archive's files: the hub's own, read by ranges. A hub of an earlier version does
 * not permit that, so files are fetched whole.
 */
export class ArchiveSources {
  #hub;
  #archive;
  #urls = new Map();
  #stop = new AbortController();
  /** Whether the hub lets elements read; asked once. */
  #permission = null;
  #onProgress;

  constructor(hub, archive, onProgress = () => {}) {
    [this.#hub, this.#archive, this.#onProgress] = [hub, archive, onProgress];
  }

  async address(file) {
    this.#permission ??= this.renew().then(() => true, (error) => this.#isOld(error));
    const { userID, archiveID } = this.#archive;
    if (await this.#permission) return this.#hub.archiveFileAddress(userID, archiveID, file.filename);
    if (!this.#urls.has(file.filename)) this.#urls.set(file.filename, this.#fetch(file));
    return this.#urls.get(file.filename);
  }

  renew() {
    return this.#hub.viewArchive(this.#archive.userID, this.#archive.archiveID);
  }

  end() {
    this.#stop.abort();
    for (const url of this.#urls.values()) url.then((made) => URL.revokeObjectURL(made), () => {});
    this.#urls.clear();
  }

  #isOld(error) {
    if ([404, 405].includes(error.status)) return false;
    this.#permission = null;
    throw error;
  }

  async #fetch(file) {
    const blob = await fetchFile(this.#hub, {
      ...this.#archive, file, signal: this.#stop.signal, onProgress: (part) => this.#onProgress(part) });
    return URL.createObjectURL(blob);
  }
}

/**
 * Fetches a whole file piece by piece and returns it as a `Blob`, of no more than the size that the archive's list gives: a
 * device cannot make the page take more.
 *
 * `onProgress` gets a number from 0 to 1.
 */
export async function fetchFile(hub, { userID, archiveID, file, signal, onProgress }) {
  const pieces = [];
  let received = 0;
  while (received < file.size) {
    const span = { from: received, length: Math.min(pieceSize, file.size - received) };
    const piece = await fetchPiece(hub, userID, archiveID, file.filename, span, signal);
    pieces.push(piece);
    received += piece.size;
    onProgress(received / file.size);
    if (piece.size === 0) break;
  }
  return new Blob(pieces, { type: "video/webm" });
}

async function fetchPiece(hub, userID, archiveID, filename, span, signal) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await receivePiece(hub, { userID, archiveID, filename, span }, signal);
    } catch (error) {
      const isWorthwhile = error.name !== "AbortError" && (!error.status || error.status >= 500);
      if (!isWorthwhile || attempt === attempts) throw error;
    }
  }
}

async function receivePiece(hub, { userID, archiveID, filename, span }, signal) {
  const silence = new Silence(silenceLimit, signal);
  try {
    const range = `bytes=${span.from}-${span.from + span.length - 1}`;
    const response = await hub.archiveFile(userID, archiveID, filename, { range, signal: silence.signal });
    // What sends the whole file in the place of its end would be shown twice.
    if (span.from > 0 && response.status !== 206) {
      await response.body.cancel();
      throw new Error("The device does not send parts of files.");
    }
    return new Blob(await read(response.body, span.length, () => silence.broken()));
  } finally {
    silence.end();
  }
}

/** The chunks of a body, `limit` bytes at most; `onChunk` receives each. */
async function read(body, limit, onChunk) {
  const chunks = [];
  const reader = body.getReader();
  for (let rest = limit; rest > 0;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    onChunk();
    chunks.push(value.subarray(0, rest));
    rest -= value.length;
  }
  await reader.cancel();
  return chunks;
}
