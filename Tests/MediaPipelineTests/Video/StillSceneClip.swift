import MediaCore

/// A camera's noisy frames of a still scene, in which a square may walk; the same in each run.
struct StillSceneClip: ~Copyable {
  static let (width, height) = (160, 96)

  var frame = I420Buffer(width: width, height: height)
  /// The left edge of a square of 32 by 32 samples.
  var square: Int?
  /// Of the light; 1 is the scene's own.
  var gain = 1.0
  private var state: UInt64 = 0x2545_F491_4F6C_DD1D
  private let scene: [UInt8]
  /// Samples of noise, of which each row begins somewhere.
  private let noise: [Int16]

  init(deviation: Double = 2) {
    scene = (0..<Self.width * Self.height).map { index in
      let (row, column) = (index / Self.width, index % Self.width)
      return UInt8(60 + (column / 9 * 37 + row / 7 * 53) % 80 + column % 9 * 3)
    }
    var state: UInt64 = 11
    noise = (0..<2_048 + Self.width).map { _ in
      Self.advance(&state)
      // The sum of four octets deviates by 148 from 510.
      let sum = (0..<4).reduce(0) { $0 + Int(state >> (8 * UInt64($1 + 2)) & 255) }
      return Int16((Double(sum - 510) / 148 * deviation).rounded())
    }
  }

  private static func advance(_ state: inout UInt64) {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
  }

  /// Without noise.
  private func clean(_ column: Int, _ row: Int) -> Int {
    if let square, column >= square, column < square + 32, row >= 32, row < 64 { return 210 }
    let sample = Int(scene[row * Self.width + column])
    return gain == 1 ? sample : Int(Double(sample) * gain)
  }

  mutating func draw() {
    let stride = frame.yStride
    for row in 0..<Self.height {
      Self.advance(&state)
      let begin = Int(state >> 20 & 2_047)
      var samples: [UInt8] = []
      for column in 0..<Self.width {
        samples.append(UInt8(clamping: clean(column, row) + Int(noise[begin + column])))
      }
      frame.withUnsafeMutablePlanes { y, _, _ in (y + row * stride).update(from: samples, count: samples.count) }
    }
  }

  /// The mean of squared differences of a decoded frame from the scene without noise, in every second row.
  func error(of view: borrowing I420View) -> Double {
    var (sum, row) = (0, 0)
    while row < Self.height {
      for column in 0..<Self.width {
        let difference = Int(view.luma(x: column, y: row)) - clean(column, row)
        sum += difference * difference
      }
      row += 2
    }
    return Double(sum) / Double(Self.width * Self.height / 2)
  }
}
