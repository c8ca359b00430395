// Where beside the dots of a map their names have room.

/** About a character's width, in pixels, and the widest label. */
const characterWidth = 7.5;
const widest = 150;
const height = 22;
/** Half of a dot, and how far from its middle a label begins. */
const dot = 14;
const gap = 15;

/**
 * For each point `{x, y, title}` the side at which its title stands, `right`, `left` or `below`, or null where it would lie over
 * something else; a point without a title has none. `width` is the map's.
 */
export function labelSides(points, width) {
  const taken = points.map(({ x, y }) => ({ left: x - dot, right: x + dot, top: y - dot, bottom: y + dot }));
  return points.map((point, index) => {
    const boxes = point.title ? boxesOf(point) : {};
    const side = Object.keys(boxes).find((name) => boxes[name].left >= 0 && boxes[name].right <= width
      && taken.every((box, other) => other === index || !overlap(box, boxes[name])));
    if (side) taken.push(boxes[side]);
    return side ?? null;
  });
}

function boxesOf({ x, y, title }) {
  const extent = Math.min(widest, 8 + characterWidth * title.length);
  const beside = { top: y - height / 2, bottom: y + height / 2 };
  return {
    right: { left: x + gap, right: x + gap + extent, ...beside },
    left: { left: x - gap - extent, right: x - gap, ...beside },
    below: { left: x - extent / 2, right: x + extent / 2, top: y + dot, bottom: y + dot + height },
  };
}

function overlap(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
