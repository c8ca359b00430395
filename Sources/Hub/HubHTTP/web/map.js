// Positions on a plane: projection, section, clusters, scale. Mercator's, which keeps shapes at every size.

const equator = 40_075_016.686;
/** Mercator's plane is as high as wide up to here. */
const highestLatitude = 85.05;
/** A single device is shown with about this much around it, in metres from one side to the other. */
const leastExtent = 400;
/** In pixels of a metre at the equator: closer than that positions are not known. */
const closest = 4;

/** A place in the plane, `{x, y}`, 0 to 1 from west to east and from north to south. */
export function planeOf({ latitude, longitude }) {
  const bounded = Math.min(Math.max(latitude, -highestLatitude), highestLatitude);
  const y = Math.log(Math.tan(Math.PI / 4 + (bounded * Math.PI) / 360));
  return { x: longitude / 360 + 0.5, y: 0.5 - y / (2 * Math.PI) };
}

export function coordinatesOf({ x, y }) {
  return { latitude: (Math.atan(Math.sinh(2 * Math.PI * (0.5 - y))) * 180) / Math.PI, longitude: (x - 0.5) * 360 };
}

/** Metres that a pixel has in the middle of a section. */
export function metresOfPixel({ y, scale }) {
  const { latitude } = coordinatesOf({ x: 0.5, y });
  return (Math.cos((latitude * Math.PI) / 180) * equator) / scale;
}

/**
 * The section that has all places in view: its middle `{x, y}` and `scale`, the pixels of the whole plane's width. Places around
 * the date line lie together, beyond the plane's edge.
 */
export function sectionOf(places, { width, height, margin = 60 }) {
  if (!places.length) return { x: 0.5, y: 0.5, scale: width };
  const from = widestGapEnd(places.map(({ x }) => x));
  const xs = places.map(({ x }) => unwrapped(x, from));
  const ys = places.map(({ y }) => y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
  const least = leastExtent / metresOfPixel({ ...middle, scale: 1 });
  const room = { x: Math.max(1, width - 2 * margin), y: Math.max(1, height - 2 * margin) };
  const scale = Math.min(room.x / Math.max(right - left, least), room.y / Math.max(bottom - top, least));
  return { ...middle, scale: boundedScale(scale, width) };
}

/** Between the whole earth and what a position is exact to. */
export function boundedScale(scale, width) {
  return Math.min(Math.max(scale, width), closest * equator);
}

/** Where in a window of a size a place lies, in pixels from its upper left corner. */
export function pixelOf(place, section, { width, height }) {
  const x = unwrapped(place.x, section.x - 0.5);
  return { x: (x - section.x) * section.scale + width / 2, y: (place.y - section.y) * section.scale + height / 2 };
}

/** Who is nearer to each other than `distance` is one cluster: `{x, y, members}`, at the mean of its members. */
export function clustersOf(points, distance) {
  const cells = new Map();
  const cellOf = ({ x, y }) => `${Math.floor(x / distance)} ${Math.floor(y / distance)}`;
  const clusters = [];
  for (const point of points) {
    const around = neighbours(point, distance).flatMap((place) => cells.get(cellOf(place)) ?? []);
    const near = around.find(({ anchor }) => Math.hypot(anchor.x - point.x, anchor.y - point.y) < distance);
    if (near) {
      near.members.push(point);
      continue;
    }
    const cluster = { anchor: point, members: [point] };
    clusters.push(cluster);
    cells.set(cellOf(point), [...(cells.get(cellOf(point)) ?? []), cluster]);
  }
  return clusters.map(({ members }) => ({ x: mean(members, "x"), y: mean(members, "y"), members }));
}

/** The longest round length that is at most so many pixels wide, `{metres, width}`. */
export function scaleBar(section, widest) {
  const metres = roundBelow(widest * metresOfPixel(section));
  return { metres, width: metres / metresOfPixel(section) };
}

/** The meridians and parallels of a section, `{longitudes: [{degrees, x}], latitudes: [{degrees, y}], decimals}`, some six each way. */
export function graticule(section, { width, height }) {
  const [left, right] = [section.x - width / 2 / section.scale, section.x + width / 2 / section.scale];
  const [top, bottom] = [section.y - height / 2 / section.scale, section.y + height / 2 / section.scale];
  const step = roundBelow(((right - left) * 360) / 4);
  const from = coordinatesOf({ x: left, y: Math.min(bottom, 1) });
  const to = coordinatesOf({ x: right, y: Math.max(top, 0) });
  const lines = (first, last) => {
    const count = Math.min(40, Math.floor(last / step) - Math.ceil(first / step) + 1);
    return Array.from({ length: Math.max(0, count) }, (_, index) => (Math.ceil(first / step) + index) * step);
  };
  return {
    longitudes: lines(from.longitude, to.longitude).map((degrees) => ({
      degrees: ((degrees + 540) % 360) - 180, x: (degrees / 360 + 0.5 - section.x) * section.scale + width / 2,
    })),
    latitudes: lines(from.latitude, to.latitude).map((degrees) => ({
      degrees, y: (planeOf({ latitude: degrees, longitude: 0 }).y - section.y) * section.scale + height / 2,
    })),
    decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)),
  };
}

function neighbours({ x, y }, distance) {
  const steps = [0, -distance, distance];
  return steps.flatMap((dx) => steps.map((dy) => ({ x: x + dx, y: y + dy })));
}

function mean(points, axis) {
  return points.reduce((sum, point) => sum + point[axis], 0) / points.length;
}

/** 1, 2 or 5 with zeros. */
function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([5, 2].find((factor) => factor * power <= value) ?? 1);
}

/** Where the widest stretch without a place ends, on the circle that the plane's width is. */
function widestGapEnd(xs) {
  const sorted = [...xs].sort((one, other) => one - other);
  const gaps = sorted.map((x, index) => ({ end: x, width: index ? x - sorted[index - 1] : x + 1 - sorted.at(-1) }));
  return gaps.reduce((widest, gap) => (gap.width > widest.width ? gap : widest)).end;
}

/** The same place, at or east of `from`. */
function unwrapped(x, from) {
  return x - Math.floor(x - from);
}
