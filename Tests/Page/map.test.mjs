import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { isPosition } from "../../Sources/Hub/HubHTTP/web/device-texts.js";
import { labelSides } from "../../Sources/Hub/HubHTTP/web/map-labels.js";
import {
  boundedScale, clustersOf, coordinatesOf, graticule, metresOfPixel, pixelOf, planeOf, scaleBar, sectionOf,
} from "../../Sources/Hub/HubHTTP/web/map.js";

const size = { width: 800, height: 600 };
const place = (latitude, longitude) => planeOf({ latitude, longitude });
const round = (values) => Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Number(value.toFixed(3))]));

test("places and coordinates lead to each other", () => {
  for (const [latitude, longitude] of [[0, 0], [52.5, 13.4], [-33.9, 151.2], [85, -180]]) {
    assert.deepEqual(round(coordinatesOf(place(latitude, longitude))), { latitude, longitude });
  }
  assert.ok(Number.isFinite(place(90, 0).y) && Number.isFinite(place(-90, 0).y));
});

test("what is no position is none", () => {
  const [good, odd] = [{ latitude: 1, longitude: 2 }, [null, undefined, {}, { latitude: "1", longitude: 2 }, { latitude: 91, longitude: 0 },
    { latitude: NaN, longitude: 0 }, { latitude: 0, longitude: 181 }]];
  assert.deepEqual([isPosition(good), ...odd.map(isPosition)], [true, ...odd.map(() => false)]);
});

test("a section has all places in view, with room around", () => {
  const places = [place(52.5, 13.4), place(52.4, 13.1), place(52.6, 13.2)];
  const section = sectionOf(places, size);
  for (const { x, y } of places.map((one) => pixelOf(one, section, size))) {
    assert.ok(x >= 59 && x <= 741 && y >= 59 && y <= 541, `${x} ${y}`);
  }
});

test("a single place has some hundred metres around it, and no place the whole earth", () => {
  const metres = metresOfPixel(sectionOf([place(60, 10)], size)) * size.width;
  assert.ok(metres > 400 && metres < 1_000, `${metres}`);
  assert.deepEqual(sectionOf([], size), { x: 0.5, y: 0.5, scale: 800 });
});

test("places on both sides of the date line lie together", () => {
  const places = [place(0, 179.9), place(0, -179.9)];
  const section = sectionOf(places, size);
  const [east, west] = places.map((one) => pixelOf(one, section, size).x);
  assert.ok(west > east && west - east <= 680 && section.scale > 100_000);
});

test("who is near is a cluster, and none is lost", () => {
  const points = [[0, 0], [10, 0], [100, 100], [43, 43], [44.5, 0], [-30, -30]].map(([x, y]) => ({ x, y }));
  const clusters = clustersOf(points, 44);
  assert.equal(clusters.flatMap(({ members }) => members).length, points.length);
  assert.deepEqual(clusters.map(({ members }) => members.length), [3, 1, 2]);
});

test("many points take no time", () => {
  const points = Array.from({ length: 2_000 }, (_, index) => ({ x: (index * 37) % 1_200, y: (index * 91) % 800 }));
  const begin = performance.now();
  assert.ok(clustersOf(points, 44).length > 100);
  assert.ok(performance.now() - begin < 2_000);
});

test("the scale has a round length, not wider than asked for", () => {
  for (const scale of [800, 1e5, 3e6, 1e8]) {
    const { metres, width } = scaleBar({ x: 0.5, y: 0.4, scale }, 140);
    assert.ok(width <= 140 && width > 50, `${width}`);
    assert.match(String(metres / 10 ** Math.floor(Math.log10(metres) + 1e-9)), /^(1|2|5)(\.0*\d)?/);
  }
  assert.deepEqual([boundedScale(1, 800), boundedScale(Infinity, 800)], [800, 4 * 40_075_016.686]);
});

test("the graticule has a few lines each way, with as many decimals as it needs", () => {
  for (const scale of [800, 1e5, 3e6, 1e8]) {
    const { longitudes, latitudes, decimals } = graticule({ ...place(52.5, 13.4), scale }, size);
    assert.ok(longitudes.length >= 2 && longitudes.length <= 12 && latitudes.length >= 1 && latitudes.length <= 16);
    for (const { degrees } of [...longitudes, ...latitudes]) assert.ok(Math.abs(degrees - Number(degrees.toFixed(decimals))) < 1e-7);
  }
});

test("names stand where they have room", () => {
  const at = (x, y, title = "Gate") => ({ x, y, title });
  assert.deepEqual(labelSides([at(100, 100)], 400), ["right"]);
  assert.deepEqual(labelSides([at(390, 100)], 400), ["left"]);
  assert.deepEqual(labelSides([at(100, 100), at(150, 100)], 400), ["left", "right"]);
  assert.deepEqual(labelSides([at(100, 100, "")], 400), [null]);
  assert.deepEqual(labelSides([at(5, 100)], 20), [null]);
});
