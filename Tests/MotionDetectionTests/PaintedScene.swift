import TestSupport

/// A yard of 160 by 120 cells with texture and noise, in which rectangles are painted.
struct PaintedScene {
  static let (width, height) = (160, 120)
  private let backdrop: [Double]
  private var random: SeededGenerator
  private(set) var cells = [UInt8](repeating: 0, count: width * height)

  init(seed: UInt64, brightness: Double = 100) {
    random = SeededGenerator(seed: seed)
    var generator = SeededGenerator(seed: seed &+ 1)
    var rows: [Double] = []
    for row in 0..<Self.height {
      for column in 0..<Self.width {
        let isPillar = column / 20 % 2 == 0 && row / 30 % 2 == 0
        rows.append(brightness * (isPillar ? 1.3 : 0.9) + Double.random(in: -8...8, using: &generator))
      }
    }
    backdrop = rows
  }

  /// Paints the next picture; `change` makes each cell's luma of its column, row and backdrop.
  mutating func paint(_ change: (Int, Int, Double) -> Double = { $2 }) {
    for index in cells.indices {
      let luma = change(index % Self.width, index / Self.width, backdrop[index])
      cells[index] = UInt8(min(max(luma + Double.random(in: -1.5...1.5, using: &random), 0), 255))
    }
  }

  /// The backdrop elsewhere, as a camera that was turned shows it.
  func turned(_ column: Int, _ row: Int) -> Double {
    backdrop[(row * 7 + 13) % Self.height * Self.width + (column * 3 + 41) % Self.width]
  }

  /// The backdrop's mean around a cell.
  func blurred(_ column: Int, _ row: Int) -> Double {
    var (sum, count) = (0.0, 0.0)
    for y in max(row - 3, 0)...min(row + 3, Self.height - 1) {
      for x in max(column - 3, 0)...min(column + 3, Self.width - 1) {
        (sum, count) = (sum + backdrop[y * Self.width + x], count + 1)
      }
    }
    return sum / count
  }
}
