public import MediaCore

/// Draws the frames of `test:bars`: a ``FrameCode``, colour bars, and a band of texture that scrolls.
///
/// The band gives an encoder honest work; everything else stands still. Only what changes is drawn again.
public struct TestBars: ~Copyable {
  private var number: UInt32 = 0
  /// Two periods of random texture, from which each row of the band takes a moving window.
  private let texture: [UInt8]

  /// Pixels by which the band moves from one frame to the next.
  private static let scroll = 2

  /// White, yellow, cyan, green, magenta, red, blue, black at 75 % (BT.601, limited range).
  private static let colours: [(y: UInt8, u: UInt8, v: UInt8)] = [
    (180, 128, 128), (162, 44, 142), (131, 156, 44), (112, 72, 58), (84, 184, 198), (65, 100, 212), (35, 212, 114),
    (16, 128, 128),
  ]

  public init(width: Int) {
    texture = Self.makeTexture(period: width)
  }

  /// Smoothed noise from a fixed seed, so that every run draws the same.
  private static func makeTexture(period: Int) -> [UInt8] {
    var seed: UInt32 = 12_345
    let knots = (0..<period / 8 + 1).map { _ -> Int in
      seed = seed &* 1_664_525 &+ 1_013_904_223
      return 40 + Int(seed >> 24) * 160 / 255
    }
    let one = (0..<period).map { x -> UInt8 in
      let (knot, fraction) = (x / 8, x % 8)
      let next = knots[(knot + 1) % (knots.count - 1)]
      return UInt8((knots[knot] * (8 - fraction) + next * fraction) / 8)
    }
    return one + one
  }

  /// Draws what never changes. Once for each buffer.
  public func drawBackground(into image: inout I420Buffer) {
    let (width, height) = (image.width, image.height)
    let count = Self.colours.count
    let top = FrameCode.height(inFrameOf: height)
    for (index, colour) in Self.colours.enumerated() {
      let (left, right) = (index * width / count, (index + 1) * width / count)
      image.fill(
        FrameArea(x: left, y: top, width: right - left, height: height - top),
        with: YUVColour(y: colour.y, u: colour.u, v: colour.v))
    }
    let band = Self.bandTop(height)
    image.fill(FrameArea(x: 0, y: band, width: width, height: height - band), with: YUVColour(y: 16))
    image.fill(FrameArea(x: 0, y: 0, width: width, height: top), with: YUVColour(y: 16))
  }

  private static func bandTop(_ height: Int) -> Int { height * 3 / 4 / 2 * 2 }

  /// Draws what changes in the next frame, which is captured at `timestamp`.
  public mutating func drawNext(into image: inout I420Buffer, at timestamp: MonotonicInstant) {
    FrameCode(number: number, timestamp: timestamp).draw(into: &image)
    drawBand(into: &image)
    number &+= 1
  }

  /// Skips a frame that is not shown.
  public mutating func skip() { number &+= 1 }

  private func drawBand(into image: inout I420Buffer) {
    let (width, height, stride) = (image.width, image.height, image.yStride)
    let period = texture.count / 2
    let shift = Int(number) * Self.scroll
    texture.withUnsafeBufferPointer { texture in
      image.withUnsafeMutablePlanes { y, _, _ in
        for row in Self.bandTop(height)..<height {
          // Each block of eight rows shows another part of the texture.
          let start = (shift + row / 8 * 37) % period
          (y + row * stride).update(from: texture.baseAddress! + start, count: min(width, period))
        }
      }
    }
  }
}
