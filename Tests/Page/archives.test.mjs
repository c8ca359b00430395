import { settled } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { ArchiveSources, fetchFile, listArchives } from "../../Sources/Hub/HubHTTP/web/archives.js";
import { Clock } from "./support/clock.mjs";
import { watchObjectURLs } from "./support/document.mjs";

const megabyte = 1024 * 1024;

/** Fetches a file of `size` bytes whose requests `answer(range, attempt)` answers. */
function fetching(size, answer, options = {}) {
  const ranges = [];
  const hub = {
    async archiveFile(userID, archiveID, filename, { range, signal }) {
      ranges.push(range);
      return answer(range, ranges.length, signal);
    },
  };
  const progress = [];
  const file = { filename: "a.webm", size };
  const onProgress = (part) => progress.push(part);
  const whole = fetchFile(hub, { userID: "door", archiveID: "1", file, onProgress, ...options });
  return { whole, ranges, progress };
}

/** The bytes that a range names, or as many as the device likes. */
function piece(range, length = null) {
  const [from, to] = /(\d+)-(\d+)/.exec(range).slice(1).map(Number);
  return new Response(new Uint8Array(length ?? to - from + 1).fill(from / megabyte), { status: 206 });
}

test("a file is fetched in pieces of 8 MB", async () => {
  const { whole, ranges, progress } = fetching(17 * megabyte, (range) => piece(range));
  const blob = await whole;
  assert.deepEqual(ranges, ["bytes=0-8388607", "bytes=8388608-16777215", "bytes=16777216-17825791"]);
  assert.deepEqual([blob.size, blob.type, progress.at(-1)], [17 * megabyte, "video/webm", 1]);
  assert.equal((await blob.slice(8 * megabyte, 8 * megabyte + 1).arrayBuffer()).byteLength, 1);
});

test("a device cannot make the page take more than the list says, and what ends early is as it is", async () => {
  assert.equal((await fetching(100, (range) => piece(range, 5_000)).whole).size, 100);
  const { whole, ranges } = fetching(100, (range, attempt) => piece(range, attempt === 1 ? 60 : 0));
  assert.equal((await whole).size, 60);
  assert.equal(ranges.length, 2);
});

test("a piece is tried three times, and not where that is in vain", async () => {
  const failure = (status) => Object.assign(new Error("no"), { status });
  const { whole, ranges } = fetching(10, (range, attempt) => {
    if (attempt < 3) throw failure(502);
    return piece(range);
  });
  assert.equal((await whole).size, 10);
  assert.equal(ranges.length, 3);
  for (const [status, count] of [[502, 3], [undefined, 3], [404, 1]]) {
    const vain = fetching(10, () => { throw failure(status); });
    await assert.rejects(vain.whole, { status });
    assert.equal(vain.ranges.length, count);
  }
});

test("what sends the whole file in the place of its end is told to stop", async () => {
  let cancelled = 0;
  const { whole } = fetching(9 * megabyte, (range) => {
    if (range.startsWith("bytes=0-")) return piece(range);
    return new Response(new ReadableStream({ cancel() { cancelled += 1; } }), { status: 200 });
  });
  await assert.rejects(whole, /parts of files/);
  assert.equal(cancelled, 3);
});

test("a transfer that falls silent is tried again after 35 s, and ends when it is called off", async (t) => {
  const clock = new Clock(t);
  const stop = new AbortController();
  const silent = (range, attempt, signal) => new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  const { whole, ranges } = fetching(10, silent, { signal: stop.signal });
  await clock.advance(36_000);
  assert.equal(ranges.length, 2);
  stop.abort();
  await assert.rejects(whole, { name: "AbortError" });
  assert.deepEqual([ranges.length, clock.timerCount], [2, 0]);
});

test("the list has the newest first, in whatever form the device has it", async () => {
  const list = (answer) => listArchives({ archives: async () => answer }, "door");
  const [old, young] = [{ id: "old", createdAt: 1 }, { id: "young", createdAt: 2 }];
  assert.deepEqual(await list({ items: [old, young], count: 7 }), { archives: [young, old], total: 7 });
  assert.deepEqual(await list([old]), { archives: [old], total: 1 });
  for (const none of [null, {}, { count: "many" }]) assert.deepEqual(await list(none), { archives: [], total: 0 });
});

const archive = { userID: "door", archiveID: "one" };
const small = { filename: "a.webm", streamId: "device", size: 3 };

test("files are read where they are, by one permission", async () => {
  let asked = 0;
  const sources = new ArchiveSources({
    viewArchive: async () => { asked += 1; }, archiveFileAddress: (...names) => names.join("/"),
  }, archive);
  const addresses = await Promise.all([small, { ...small, filename: "b.webm" }].map((file) => sources.address(file)));
  assert.deepEqual([addresses, asked], [["door/one/a.webm", "door/one/b.webm"], 1]);
});

test("a hub of an earlier version has files fetched whole, and no object URL outlives the player", async (t) => {
  const urls = watchObjectURLs(t);
  const sources = new ArchiveSources({
    viewArchive: async () => { throw Object.assign(new Error(), { status: 405 }); },
    archiveFile: async () => new Response("abc", { status: 206 }),
  }, archive);
  assert.equal(await sources.address(small), await sources.address(small));
  assert.equal(urls.size, 1);
  sources.end();
  await settled();
  assert.equal(urls.size, 0);
});

test("a permission that was refused is asked for again", async () => {
  const answers = [Object.assign(new Error(), { status: 503 }), null];
  const sources = new ArchiveSources({
    viewArchive: async () => { const error = answers.shift(); if (error) throw error; },
    archiveFileAddress: () => "address",
  }, archive);
  await assert.rejects(sources.address(small));
  assert.equal(await sources.address(small), "address");
});
