internal import Signalling

/// A rectangle of cells; all four edges belong to it.
struct CellBox: Hashable, Sendable {
  var left: Int
  var top: Int
  var right: Int
  var bottom: Int

  var width: Int { right - left + 1 }
  var height: Int { bottom - top + 1 }
  var longerSide: Int { max(width, height) }

  mutating func include(_ other: CellBox) {
    left = min(left, other.left)
    top = min(top, other.top)
    right = max(right, other.right)
    bottom = max(bottom, other.bottom)
  }
}

extension FrameRegion {
  init(_ box: CellBox, in grid: CellGrid) {
    let (x, y) = (box.left * 1_000 / grid.width, box.top * 1_000 / grid.height)
    self.init(
      x: x, y: y, width: (box.right + 1) * 1_000 / grid.width - x, height: (box.bottom + 1) * 1_000 / grid.height - y)
  }
}
