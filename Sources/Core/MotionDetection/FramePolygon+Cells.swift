internal import MediaCore

extension FramePolygon {
  /// Whether the middle of each cell lies inside, row by row.
  func cells(_ grid: CellGrid) -> [Bool] {
    (0..<grid.count).map { index in
      contains(
        Point(
          x: (Double(index % grid.width) + 0.5) / Double(grid.width),
          y: (Double(index / grid.width) + 0.5) / Double(grid.height)))
    }
  }
}
