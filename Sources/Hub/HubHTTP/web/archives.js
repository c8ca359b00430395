// A device's recordings, fetched through the hub.

/** A piece that fails is fetched again alone; fewer pieces cost fewer of the requests that the hub permits a minute. */
const pieceSize = 8 * 1024 * 1024;
const attempts = 3;

/** The device's archives, newest first. */
export async function listArchives(hub, userID) {
  const answer = await hub.archives(userID);
  const items = Array.isArray(answer) ? answer : answer?.items ?? [];
  return [...items].sort((left, right) => right.createdAt - left.createdAt);
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
      const response = await hub.archiveFile(userID, archiveID, filename, { range, signal });
      const blob = await response.blob();
      return { blob, total: response.status === 206 ? totalSize(response.headers.get("Content-Range")) : null };
    } catch (error) {
      const isWorthwhile = error.name !== "AbortError" && (!error.status || error.status >= 500);
      if (!isWorthwhile || attempt === attempts) throw error;
    }
  }
}

/** The size behind the slash of `bytes 0-99/1234`. */
function totalSize(contentRange) {
  return Number(/\/(\d+)$/.exec(contentRange ?? "")?.[1] ?? 0);
}
