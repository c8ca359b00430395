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

/** The file that goes on where this one of the same stream ends; `undefined` after the last. */
export function segmentAfter(file, files) {
  const later = files.filter(
    ({ streamId, startTimeOffset }) => streamId === file.streamId && startTimeOffset > file.startTimeOffset);
  return later.sort((left, right) => left.startTimeOffset - right.startTimeOffset)[0];
}

/**
 * Fetches a whole file piece by piece and returns it as a `Blob`.
 *
 * `onProgress` gets a number from 0 to 1.
 */
export async function fetchFile(hub, { userID, archiveID, file, signal, onProgress }) {
  const pieces = [];
  let received = 0;
  let total = file.size;
  do {
    const piece = await fetchPiece(hub, userID, archiveID, file.filename, received, signal);
    pieces.push(piece.blob);
    received += piece.blob.size;
    total = piece.total ?? received;
    onProgress(total ? received / total : 1);
    if (piece.blob.size === 0) break;
  } while (received < total);
  return new Blob(pieces, { type: "video/webm" });
}

async function fetchPiece(hub, userID, archiveID, filename, from, signal) {
  const range = `bytes=${from}-${from + pieceSize - 1}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await receivePiece(hub, { userID, archiveID, filename, range }, signal);
    } catch (error) {
      const isWorthwhile = error.name !== "AbortError" && (!error.status || error.status >= 500);
      if (!isWorthwhile || attempt === attempts) throw error;
    }
  }
}

async function receivePiece(hub, { userID, archiveID, filename, range }, signal) {
  const silence = new Silence(silenceLimit, signal);
  try {
    const response = await hub.archiveFile(userID, archiveID, filename, { range, signal: silence.signal });
    const blob = new Blob(await readAll(response.body, () => silence.broken()));
    return { blob, total: response.status === 206 ? totalSize(response.headers.get("Content-Range")) : null };
  } finally {
    silence.end();
  }
}

/** The chunks of a body; `onChunk` hears of each. */
async function readAll(body, onChunk) {
  const chunks = [];
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    onChunk();
    chunks.push(value);
  }
}

/** The size behind the slash of `bytes 0-99/1234`. */
function totalSize(contentRange) {
  return Number(/\/(\d+)$/.exec(contentRange ?? "")?.[1] ?? 0);
}
