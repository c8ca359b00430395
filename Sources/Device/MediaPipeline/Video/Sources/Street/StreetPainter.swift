internal import MediaCore

/// Draws shapes into the planes of a frame, in units of which its height has 480 whatever its size; clipped, in integers.
///
/// The pointers are those of ``MediaCore/I420Buffer/withUnsafeMutablePlanes(_:)``, and good as long.
struct StreetPainter {
  /// Units from the top of a frame to its bottom.
  static let unitsHigh = 480

  let y: UnsafeMutablePointer<UInt8>
  let u: UnsafeMutablePointer<UInt8>
  let v: UnsafeMutablePointer<UInt8>
  let width: Int
  let height: Int
  let yStride: Int
  let chromaStride: Int
  /// Brightness of the colours, in 256ths.
  var light = 256

  /// Units from the left of a frame to its right.
  static func unitsWide(_ width: Int, _ height: Int) -> Int { max(1, width * unitsHigh / height) }

  func pixels(_ units: Int) -> Int { (units * height).floorDivided(by: Self.unitsHigh) }

  func rectangle(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int, _ colour: YUVColour) {
    let (leftEdge, rightEdge) = (pixels(left), pixels(right))
    for row in rows(pixels(top), pixels(bottom)) { fill(row, leftEdge, rightEdge, colour) }
  }

  func ellipse(_ x: Int, _ y: Int, _ radiusX: Int, _ radiusY: Int, _ colour: YUVColour) {
    let ellipse = PixelEllipse(pixels(x), pixels(y), pixels(radiusX), pixels(radiusY))
    for row in rows(ellipse.top, ellipse.bottom) {
      let half = ellipse.halfWidth(at: row)
      fill(row, ellipse.x - half, ellipse.x + half + 1, colour)
    }
  }

  /// Darkens what is there to seven eighths: a shadow.
  func shade(_ x: Int, _ y: Int, _ radiusX: Int, _ radiusY: Int) {
    let ellipse = PixelEllipse(pixels(x), pixels(y), pixels(radiusX), pixels(radiusY))
    for row in rows(ellipse.top, ellipse.bottom) {
      let half = ellipse.halfWidth(at: row)
      let (line, left) = (self.y + row * yStride, max(ellipse.x - half, 0))
      for column in left..<max(min(ellipse.x + half + 1, width), left) { line[column] -= line[column] >> 3 }
    }
  }

  /// A shape with horizontal edges above and below, `top` and `bottom` being its left and right ends there.
  func trapezoid(
    _ top: (y: Int, left: Int, right: Int), _ bottom: (y: Int, left: Int, right: Int), _ colour: YUVColour
  ) {
    let (first, last) = (pixels(top.y), pixels(bottom.y))
    guard first < last else { return }
    let (topLeft, topRight) = (pixels(top.left), pixels(top.right))
    let (bottomLeft, bottomRight) = (pixels(bottom.left), pixels(bottom.right))
    for row in rows(first, last) {
      let (part, whole) = (row - first, last - first)
      fill(
        row, topLeft + (bottomLeft - topLeft) * part / whole, topRight + (bottomRight - topRight) * part / whole, colour
      )
    }
  }

  /// A line of the frame from one column to another.
  func fill(_ row: Int, _ left: Int, _ right: Int, _ colour: YUVColour) {
    let (left, right) = (max(left, 0), min(right, width))
    guard left < right else { return }
    let luma = UInt8(clamping: 16 + ((Int(colour.y) - 16) * light) >> 8)
    (y + row * yStride + left).update(repeating: luma, count: right - left)
    guard row & 1 == 0 else { return }
    let offset = row / 2 * chromaStride + left / 2
    (u + offset).update(repeating: colour.u, count: (right + 1) / 2 - left / 2)
    (v + offset).update(repeating: colour.v, count: (right + 1) / 2 - left / 2)
  }

  private func rows(_ first: Int, _ last: Int) -> Range<Int> {
    let start = min(max(first, 0), height)
    return start..<max(start, min(last, height))
  }
}

/// An ellipse in pixels.
private struct PixelEllipse {
  let x, y, radiusX, radiusY: Int

  init(_ x: Int, _ y: Int, _ radiusX: Int, _ radiusY: Int) {
    (self.x, self.y, self.radiusX, self.radiusY) = (x, y, max(radiusX, 1), max(radiusY, 1))
  }

  var top: Int { y - radiusY }
  var bottom: Int { y + radiusY + 1 }

  func halfWidth(at row: Int) -> Int {
    radiusX * (radiusY * radiusY - (row - y) * (row - y)).squareRoot / radiusY
  }
}

extension Int {
  /// Towards minus infinity, so that what moves does not stumble at the frame's edge.
  func floorDivided(by divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// Rounded down; 0 of a negative number.
  var squareRoot: Int {
    guard self > 0 else { return 0 }
    var root = 0
    var bit = 1 << ((bitWidth - leadingZeroBitCount - 1) & ~1)
    var rest = self
    while bit != 0 {
      if rest >= root + bit {
        rest -= root + bit
        root = root >> 1 + bit
      } else {
        root >>= 1
      }
      bit >>= 2
    }
    return root
  }
}

extension YUVColour {
  /// Of red, green and blue from 0 to 255 (ITU-R BT.601, limited range).
  init(red: Int, green: Int, blue: Int) {
    self.init(
      y: UInt8(clamping: 16 + (66 * red + 129 * green + 25 * blue + 128) >> 8),
      u: UInt8(clamping: 128 + (112 * blue - 38 * red - 74 * green + 128) >> 8),
      v: UInt8(clamping: 128 + (112 * red - 94 * green - 18 * blue + 128) >> 8))
  }

  func brighter(by luma: Int) -> YUVColour { YUVColour(y: UInt8(clamping: Int(y) + luma), u: u, v: v) }
}

/// Numbers that look random and follow from their place alone.
enum StreetChance {
  static func number(_ first: Int, _ second: Int = 0) -> Int {
    var value = UInt64(truncatingIfNeeded: first) &* 0x9E37_79B9_7F4A_7C15
    value ^= UInt64(truncatingIfNeeded: second) &* 0xC2B2_AE3D_27D4_EB4F
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (value ^ value >> 31) >> 33)
  }

  /// A triangle wave: from -`height` to `height` and back within `period`.
  static func sway(_ time: Int, period: Int, height: Int) -> Int {
    let phase = (time % period + period) % period * 4 * height / period
    return phase < 2 * height ? phase - height : 3 * height - phase
  }

  /// A parabola over ``sway``, which is like a sine.
  static func swing(_ time: Int, period: Int, height: Int) -> Int {
    let place = sway(time, period: period, height: 256)
    // From the middle outwards ever slower.
    return place * (512 - abs(place)) * height / (256 * 256)
  }
}
