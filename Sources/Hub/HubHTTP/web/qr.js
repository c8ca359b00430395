// QR codes (ISO/IEC 18004) of texts: byte mode, error correction level M, versions 1 to 10.

// Of each version at level M: error correction codewords of a block, and the data codewords of each block.
const blocks = [
  [10, [16]],
  [16, [28]],
  [26, [44]],
  [18, [32, 32]],
  [24, [43, 43]],
  [16, [27, 27, 27, 27]],
  [18, [31, 31, 31, 31]],
  [22, [38, 38, 39, 39]],
  [22, [36, 36, 36, 37, 37]],
  [26, [43, 43, 43, 43, 44]],
];
const alignments = [
  [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50],
];
const quietZone = 4;

// An SVG element with the code of a text of at most 213 bytes; throws a RangeError for a longer one.
export function qrCode(text) {
  const rows = qrModules(text);
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  const extent = rows.length + 2 * quietZone;
  svg.setAttribute("viewBox", `0 0 ${extent} ${extent}`);
  svg.setAttribute("shape-rendering", "crispEdges");
  svg.setAttribute("role", "img");
  // Readers expect dark on light, also on a dark page.
  for (const [fill, d] of [["#fff", `M0 0h${extent}v${extent}H0z`], ["#000", outline(rows)]]) {
    const path = document.createElementNS(namespace, "path");
    // The page's images are strokes, which paths inherit.
    for (const [name, value] of Object.entries({ fill, d, stroke: "none" })) path.setAttribute(name, value);
    svg.append(path);
  }
  return svg;
}

// The code's rows of modules; true is dark.
export function qrModules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  const codewords = interleaved(dataCodewords(bytes, version), version);
  const base = new QRSymbol(version);
  base.placeFunctionPatterns();
  base.placeCodewords(codewords);
  let best;
  for (let mask = 0; mask < 8; mask += 1) {
    const candidate = base.masked(mask);
    const penalty = penaltyOf(candidate);
    if (best === undefined || penalty < best.penalty) best = { candidate, penalty };
  }
  return best.candidate;
}

function outline(rows) {
  let path = "";
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x += 1) {
      if (!row[x]) continue;
      const start = x;
      while (row[x + 1]) x += 1;
      const width = x + 1 - start;
      path += `M${start + quietZone} ${y + quietZone}h${width}v1h-${width}z`;
    }
  });
  return path;
}

// Codewords

function capacity(version) {
  return blocks[version - 1][1].reduce((sum, count) => sum + count, 0);
}

function countBits(version) {
  return version < 10 ? 8 : 16;
}

function versionFor(byteCount) {
  for (let version = 1; version <= blocks.length; version += 1) {
    if (4 + countBits(version) + 8 * byteCount <= 8 * capacity(version)) return version;
  }
  throw new RangeError(`${byteCount} bytes are too many for a QR code of version ${blocks.length}`);
}

function dataCodewords(bytes, version) {
  const bits = [];
  const push = (value, count) => {
    for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, countBits(version));
  for (const byte of bytes) push(byte, 8);
  const size = capacity(version);
  push(0, Math.min(4, 8 * size - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  for (let pad = 0xec; bits.length < 8 * size; pad ^= 0xec ^ 0x11) push(pad, 8);
  return Uint8Array.from({ length: size }, (_, index) =>
    bits.slice(8 * index, 8 * index + 8).reduce((value, bit) => (value << 1) | bit, 0));
}

function interleaved(data, version) {
  const [correctionCount, sizes] = blocks[version - 1];
  const divisor = generator(correctionCount);
  let start = 0;
  const parts = sizes.map((size) => {
    const part = data.subarray(start, start + size);
    start += size;
    return { part, correction: remainder(part, divisor) };
  });
  const codewords = [];
  for (let index = 0; index < Math.max(...sizes); index += 1) {
    for (const { part } of parts) if (index < part.length) codewords.push(part[index]);
  }
  for (let index = 0; index < correctionCount; index += 1) {
    for (const { correction } of parts) codewords.push(correction[index]);
  }
  return codewords;
}

// Reed-Solomon in GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1

function multiply(left, right) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((right >> bit) & 1) * left;
  }
  return product;
}

// The generator polynomial's coefficients but the first, which is 1.
function generator(degree) {
  const coefficients = new Array(degree).fill(0);
  coefficients[degree - 1] = 1;
  let root = 1;
  for (let factor = 0; factor < degree; factor += 1) {
    for (let index = 0; index < degree; index += 1) {
      coefficients[index] = multiply(coefficients[index], root) ^ (coefficients[index + 1] ?? 0);
    }
    root = multiply(root, 2);
  }
  return coefficients;
}

function remainder(data, divisor) {
  const result = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ result.shift();
    result.push(0);
    divisor.forEach((coefficient, index) => { result[index] ^= multiply(coefficient, factor); });
  }
  return result;
}

// Appends the remainder of a division by a binary polynomial (the codes of format and version).
function withCheckBits(value, polynomial, count) {
  let rest = value;
  for (let step = 0; step < count; step += 1) rest = (rest << 1) ^ ((rest >> (count - 1)) * polynomial);
  return (value << count) | rest;
}

// Modules

const masks = [
  (x, y) => (x + y) % 2 === 0,
  (x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

class QRSymbol {
  constructor(version) {
    this.version = version;
    this.size = 17 + 4 * version;
    this.rows = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
    // What no mask changes.
    this.fixed = this.rows.map((row) => [...row]);
  }

  set(x, y, isDark) {
    this.rows[y][x] = isDark;
    this.fixed[y][x] = true;
  }

  placeFunctionPatterns() {
    for (let index = 0; index < this.size; index += 1) {
      this.set(6, index, index % 2 === 0);
      this.set(index, 6, index % 2 === 0);
    }
    const last = this.size - 4;
    for (const [x, y] of [[3, 3], [last, 3], [3, last]]) this.placeFinder(x, y);
    const places = alignments[this.version - 1];
    const end = places.length - 1;
    places.forEach((x, column) => places.forEach((y, row) => {
      const isFinder = (column === 0 && row === 0) || (column === 0 && row === end) || (column === end && row === 0);
      if (!isFinder) this.placeAlignment(x, y);
    }));
    this.placeFormat(0);
    this.placeVersion();
  }

  placeFinder(centreX, centreY) {
    for (let dy = -4; dy <= 4; dy += 1) {
      for (let dx = -4; dx <= 4; dx += 1) {
        const [x, y] = [centreX + dx, centreY + dy];
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        if (x >= 0 && x < this.size && y >= 0 && y < this.size) this.set(x, y, ring !== 2 && ring !== 4);
      }
    }
  }

  placeAlignment(centreX, centreY) {
    for (let dy = -2; dy <= 2; dy += 1) {
      for (let dx = -2; dx <= 2; dx += 1) {
        this.set(centreX + dx, centreY + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
      }
    }
  }

  // Level M has the bits 00, so the mask's number is all that the format says.
  placeFormat(mask) {
    const format = withCheckBits(mask, 0x537, 10) ^ 0x5412;
    const bit = (index) => ((format >> index) & 1) === 1;
    const far = this.size - 1;
    for (let index = 0; index < 15; index += 1) {
      const column = index < 6 ? index : index < 8 ? index + 1 : undefined;
      if (column !== undefined) this.set(8, column, bit(index));
      else if (index === 8) this.set(7, 8, bit(index));
      else this.set(14 - index, 8, bit(index));
      if (index < 8) this.set(far - index, 8, bit(index));
      else this.set(8, this.size - 15 + index, bit(index));
    }
    this.set(8, this.size - 8, true);
  }

  placeVersion() {
    if (this.version < 7) return;
    const bits = withCheckBits(this.version, 0x1f25, 12);
    for (let index = 0; index < 18; index += 1) {
      const isDark = ((bits >> index) & 1) === 1;
      const [near, far] = [Math.floor(index / 3), this.size - 11 + (index % 3)];
      this.set(near, far, isDark);
      this.set(far, near, isDark);
    }
  }

  // In columns of two from the right, up and down in turn; the vertical timing pattern has a column of its own.
  placeCodewords(codewords) {
    let index = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      const isUpward = ((right + 1) & 2) === 0;
      for (let step = 0; step < this.size; step += 1) {
        const y = isUpward ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.fixed[y][x] || index >= 8 * codewords.length) continue;
          this.rows[y][x] = ((codewords[index >> 3] >> (7 - (index & 7))) & 1) === 1;
          index += 1;
        }
      }
    }
  }

  masked(mask) {
    const copy = new QRSymbol(this.version);
    copy.rows = this.rows.map((row, y) =>
      row.map((isDark, x) => (this.fixed[y][x] ? isDark : isDark !== masks[mask](x, y))));
    copy.placeFormat(mask);
    return copy.rows;
  }
}

// How hard a symbol is to read (section 7.8.3): runs, blocks, what resembles a finder, and an uneven share of dark.
function penaltyOf(rows) {
  const columns = rows.map((_, x) => rows.map((row) => row[x]));
  let penalty = 0;
  for (const line of [...rows, ...columns]) penalty += runPenalty(line) + finderPenalty(line);
  for (let y = 0; y + 1 < rows.length; y += 1) {
    for (let x = 0; x + 1 < rows.length; x += 1) {
      const isDark = rows[y][x];
      if (rows[y][x + 1] === isDark && rows[y + 1][x] === isDark && rows[y + 1][x + 1] === isDark) penalty += 3;
    }
  }
  const darkCount = rows.flat().filter(Boolean).length;
  return penalty + 10 * Math.floor(Math.abs(20 * darkCount / rows.length ** 2 - 10));
}

function runPenalty(line) {
  let penalty = 0;
  let length = 1;
  for (let index = 1; index <= line.length; index += 1) {
    if (line[index] === line[index - 1]) {
      length += 1;
    } else {
      if (length >= 5) penalty += length - 2;
      length = 1;
    }
  }
  return penalty;
}

function finderPenalty(line) {
  const text = line.map((isDark) => (isDark ? "1" : "0")).join("");
  let penalty = 0;
  for (const pattern of ["10111010000", "00001011101"]) {
    for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) penalty += 40;
  }
  return penalty;
}
