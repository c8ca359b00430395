/// Removes single cells of a mask and closes small gaps in it.
struct CellFilter: ~Copyable {
  private let grid: CellGrid
  /// Of each cell and its neighbours to the left and right.
  private let sums: CellPlane<UInt8>

  init(_ grid: CellGrid) {
    self.grid = grid
    sums = CellPlane(repeating: 0, count: grid.count)
  }

  /// Keeps what has at least `least` marked cells among itself and its eight neighbours, and marks whatever has so many:
  /// 4 removes specks, 1 widens by a cell. Cells at the border count what there is.
  func apply(_ mask: borrowing CellPlane<UInt8>, least: UInt8) {
    sumRows(mask)
    let (width, height) = (grid.width, grid.height)
    for row in 0..<height {
      let here = row * width
      let above = row > 0 ? here - width : here
      let below = row + 1 < height ? here + width : here
      for column in 0..<width {
        var sum = sums[here + column]
        if above != here { sum &+= sums[above + column] }
        if below != here { sum &+= sums[below + column] }
        mask[here + column] = sum >= least ? 1 : 0
      }
    }
  }

  private func sumRows(_ mask: borrowing CellPlane<UInt8>) {
    let width = grid.width
    for row in 0..<grid.height {
      let here = row * width
      var (left, middle): (UInt8, UInt8) = (0, mask[here] == 0 ? 0 : 1)
      for column in 0..<width {
        let right: UInt8 = column + 1 < width && mask[here + column + 1] != 0 ? 1 : 0
        sums[here + column] = left &+ middle &+ right
        (left, middle) = (middle, right)
      }
    }
  }
}
