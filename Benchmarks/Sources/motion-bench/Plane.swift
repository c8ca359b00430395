import Foundation
import TestSupport

/// A grey picture or a field of 8-bit values, row by row, in memory of its own.
final class Plane {
  let width: Int
  let height: Int
  let bytes: UnsafeMutablePointer<UInt8>

  init(width: Int, height: Int, repeating value: UInt8 = 0) {
    (self.width, self.height) = (width, height)
    bytes = .allocate(capacity: width * height)
    bytes.initialize(repeating: value, count: width * height)
  }

  deinit { bytes.deallocate() }

  func copy(from other: Plane) { bytes.update(from: other.bytes, count: width * height) }
}

/// The size of all clips.
enum Frame {
  static let width = 640
  static let height = 480
  static let count = width * height
  /// Pictures a second.
  static let rate = 10
}

typealias Random = SeededGenerator

extension SeededGenerator {
  mutating func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }
  mutating func whole(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
  mutating func chance(_ probability: Double) -> Bool { number(0...1) < probability }

  /// Mean 0, deviation 1.
  mutating func gaussian() -> Double {
    (-2 * log(number(1e-12...1))).squareRoot() * cos(2 * .pi * number(0...1))
  }
}

func clamped(_ value: Double) -> UInt8 { UInt8(min(max(value, 0), 255)) }

/// Smooth from 0 to 1 between two edges.
func smooth(_ value: Double, _ low: Double, _ high: Double) -> Double {
  let t = min(max((value - low) / (high - low), 0), 1)
  return t * t * (3 - 2 * t)
}

/// Random values on a lattice, interpolated: adds texture of a given size to a field.
struct ValueNoise {
  private let columns: Int
  private let values: [Double]
  private let spacing: Double

  init(width: Int, height: Int, spacing: Double, _ random: inout Random) {
    self.spacing = spacing
    columns = Int(Double(width) / spacing) + 3
    let rows = Int(Double(height) / spacing) + 3
    values = (0..<columns * rows).map { _ in random.number(-1...1) }
  }

  func callAsFunction(_ x: Int, _ y: Int) -> Double {
    let (fx, fy) = (Double(x) / spacing, Double(y) / spacing)
    let (left, top) = (Int(fx), Int(fy))
    let (u, v) = (fx - Double(left), fy - Double(top))
    let place = top * columns + left
    let above = values[place] * (1 - u) + values[place + 1] * u
    let below = values[place + columns] * (1 - u) + values[place + columns + 1] * u
    return above * (1 - v) + below * v
  }
}
