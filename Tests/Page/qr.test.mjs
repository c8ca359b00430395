import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { makeDocument } from "./support/document.mjs";
import { qrCode, qrModules } from "../../Sources/Hub/HubHTTP/web/qr.js";

const drawn = (text) => qrModules(text).map((row) => row.map((isDark) => (isDark ? "#" : ".")).join(""));

// As the Python package qrcode 8 draws it with the same mask; OpenCV reads it.
test("a symbol of version 1 is as another program draws it", () => {
  assert.deepEqual(drawn("A"), [
    "#######.#..#..#######",
    "#.....#.#####.#.....#",
    "#.###.#...#.#.#.###.#",
    "#.###.#.##.##.#.###.#",
    "#.###.#..###..#.###.#",
    "#.....#..#.##.#.....#",
    "#######.#.#.#.#######",
    "........##.##........",
    "#.##.###..###.#..#.##",
    ".#.##..#.#.####..#...",
    "##..###.##.#.....##.#",
    "#.##.#.....#..#####..",
    "#..####..#..#..#..#..",
    "........#.##..#..#..#",
    "#######.#..##..#.#...",
    "#.....#.##.....##.##.",
    "#.###.#..##.#####...#",
    "#.###.#.####..######.",
    "#.###.#.#.#.#.##.....",
    "#.....#...#..#.#..#.#",
    "#######.#....#..#....",
  ]);
});

test("so are larger ones, with several blocks, version bits and a long count", () => {
  const vectors = [
    ["lsk_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH", 33,
      "ccab85ecf9053ba61769cfca45c48df22da24b8a25dc05cc00089090d200bbf1"],
    ["y".repeat(120), 45, "2497495eb0db283f3418932c54759a64abbf2543bd5f0b30b93f4e67096e20ce"],
    ["y".repeat(213), 57, "846a7d6bcfd964a49e0268223c995754d1abc37d172c9cb49536946fcde73133"],
  ];
  for (const [text, size, digest] of vectors) {
    const rows = drawn(text);
    assert.equal(rows.length, size);
    assert.equal(createHash("sha256").update(rows.join("\n")).digest("hex"), digest, text);
  }
});

test("the version follows the count of bytes", () => {
  const sizes = [[0, 21], [14, 21], [15, 25], [26, 25], [27, 29], [180, 53], [181, 57]];
  for (const [count, size] of sizes) assert.equal(qrModules("x".repeat(count)).length, size, `${count}`);
  assert.equal(qrModules("ä".repeat(7)).length, 21);
  assert.throws(() => qrModules("x".repeat(214)), RangeError);
});

test("it is drawn dark on light with a quiet zone", (t) => {
  makeDocument(t);
  const svg = qrCode("A");
  assert.equal(svg.getAttribute("viewBox"), "0 0 29 29");
  const [ground, modules] = svg.children;
  assert.equal(ground.getAttribute("fill"), "#fff");
  assert.equal(modules.getAttribute("stroke"), "none");
  assert.ok(modules.getAttribute("d").startsWith("M4 4h7v1h-7z"));
});
