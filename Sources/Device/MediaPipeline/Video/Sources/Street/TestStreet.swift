public import MediaCore

/// Draws the frames of `test:street`: a quiet street in which now and then a person walks by or a car passes, with a
/// ``FrameCode`` in the lower left corner.
///
/// A frame follows from its number, its rate and its size. Drawing takes integers alone, and allocates nothing.
public struct TestStreet: ~Copyable {
  private var number = 0
  private let frameRate: Int
  private let life: StreetLife
  /// What stands still, in full light and as it was lit last.
  private let scenery: I420Buffer
  private var lit: I420Buffer
  /// Of each strip of rows, as it was lit last.
  private var lights = [Int](repeating: 256, count: strips)
  private let noise: [UInt8]

  /// The light changes in one strip after the other, a step at a time, so that no frame takes long.
  private static let strips = 64
  private static let noisePeriod = 8_192

  public init(width: Int, height: Int, frameRate: Int) {
    self.frameRate = max(frameRate, 1)
    life = StreetLife(units: StreetPainter.unitsWide(width, height))
    var image = I420Buffer(width: width, height: height)
    image.paint { StreetScenery($0).draw() }
    lit = image.copy()
    scenery = image
    noise = Self.makeNoise(width: width)
  }

  /// Mostly none, at times a step up or down, as of a sensor in daylight; in two's complement.
  private static func makeNoise(width: Int) -> [UInt8] {
    let steps: [Int8] = [0, 0, 0, 0, 1, -1, 1, -1, 0, 0, 1, -1, 0, 0, 2, -2]
    return (0..<noisePeriod + width).map { UInt8(bitPattern: steps[StreetChance.number($0, 5) % steps.count]) }
  }

  /// Draws the next frame, which is captured at `timestamp`.
  public mutating func drawNext(into image: inout I420Buffer, at timestamp: MonotonicInstant) {
    precondition(image.width == scenery.width && image.height == scenery.height)
    let time = number * 1_000 / frameRate
    for strip in 0..<Self.strips { light(strip) }
    image.copyPixels(of: &lit)
    let (light, life) = (Self.light(at: time), life)
    image.paint { painter in
      var painter = painter
      painter.light = light
      life.draw(at: time, painter)
    }
    addNoise(to: &image)
    FrameCode(number: UInt32(truncatingIfNeeded: number), timestamp: timestamp).draw(into: &image, at: .corner)
    number += 1
  }

  /// Skips a frame that is not shown.
  public mutating func skip() { number += 1 }

  // MARK: Light

  /// In 256ths: clouds pass before the sun within minutes.
  private static func light(at time: Int) -> Int {
    232 + StreetChance.swing(time + 50_000, period: 200_000, height: 18)
      + StreetChance.swing(time, period: 71_000, height: 6)
  }

  /// Lights a strip as it is at the frame at which it has its turn: the last one that there was.
  private mutating func light(_ strip: Int) {
    let turn = number - (number - strip % Self.strips + Self.strips) % Self.strips
    let light = Self.light(at: max(turn, 0) * 1_000 / frameRate)
    guard lights[strip] != light else { return }
    lights[strip] = light
    let rows = strip * scenery.height / Self.strips..<(strip + 1) * scenery.height / Self.strips
    Self.draw(scenery, in: rows, lit: light, into: &lit)
  }

  private static func draw(
    _ scenery: borrowing I420Buffer, in rows: Range<Int>, lit light: Int, into lit: inout I420Buffer
  ) {
    let (width, stride) = (scenery.width, scenery.yStride)
    let source = scenery.view.y
    lit.withUnsafeMutablePlanes { y, _, _ in
      source.withUnsafeBytes { bytes in
        for row in rows {
          for index in row * stride..<row * stride + width {
            y[index] = UInt8(truncatingIfNeeded: 16 + ((Int32(bytes[index]) - 16) * Int32(light)) >> 8)
          }
        }
      }
    }
  }

  // MARK: Noise

  private func addNoise(to image: inout I420Buffer) {
    let (width, height, stride, number) = (image.width, image.height, image.yStride, number)
    noise.withUnsafeBufferPointer { noise in
      guard let start = noise.baseAddress else { return }
      image.withUnsafeMutablePlanes { y, _, _ in
        for row in 0..<height {
          let (line, grain) = (y + row * stride, start + StreetChance.number(number, row) % Self.noisePeriod)
          // No luma here is so near to 0 or 255 that it would wrap.
          for column in 0..<width { line[column] = line[column] &+ grain[column] }
        }
      }
    }
  }
}

extension I420Buffer {
  fileprivate mutating func paint(_ body: (StreetPainter) -> Void) {
    let (width, height, yStride, chromaStride) = (width, height, yStride, chromaStride)
    withUnsafeMutablePlanes { y, u, v in
      body(
        StreetPainter(
          y: y, u: u, v: v, width: width, height: height, yStride: yStride, chromaStride: chromaStride))
    }
  }

  /// Of a buffer of the same size.
  fileprivate mutating func copyPixels(of other: inout I420Buffer) {
    let (luma, chroma) = (yStride * height, chromaStride * chromaHeight)
    withUnsafeMutablePlanes { y, u, v in
      other.withUnsafeMutablePlanes { otherY, otherU, otherV in
        y.update(from: otherY, count: luma)
        u.update(from: otherU, count: chroma)
        v.update(from: otherV, count: chroma)
      }
    }
  }
}
