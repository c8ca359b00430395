/// Removes single cells of a mask and closes small gaps in it.
struct CellFilter: ~Copyable {
  private let grid: CellGrid
  /// The sum of each cell and its neighbours to the left and right.
  private let sums: CellPlane<UInt8>

  init(_ grid: CellGrid) {
    self.grid = grid
    sums = CellPlane(repeating: 0, count: grid.count)
  }

  /// Keeps cells with at least `least` marked cells among themselves and their eight neighbours, and marks any cell
  /// that has that many: 4 removes specks, 1 widens by a cell. Cells at the border count existing neighbours.
  /// - Parameter mask: 0 and 1.
  func apply(_ mask: borrowing CellPlane<UInt8>, least: UInt8) {
    sumRows(mask)
    for row in 0..<grid.height {
      let here = row * grid.width
      for index in stride(from: here, to: here + grid.width, by: 8) {
        var sum = sums[octet: index]
        if row > 0 { sum &+= sums[octet: index - grid.width] }
        if row + 1 < grid.height { sum &+= sums[octet: index + grid.width] }
        // What this writes behind a row belongs to the next one, which comes later.
        mask[octet: index] = sum.reaching(least)
      }
    }
  }

  private func sumRows(_ mask: borrowing CellPlane<UInt8>) {
    for index in stride(from: 0, to: grid.count, by: 8) {
      sums[octet: index] = mask[octet: index - 1] &+ mask[octet: index] &+ mask[octet: index + 1]
    }
    // The neighbours of a row's ends lie in other rows.
    for row in 0..<grid.height {
      let (first, last) = (row * grid.width, (row + 1) * grid.width - 1)
      sums[first] = mask[first] &+ (last > first ? mask[first + 1] : 0)
      sums[last] = mask[last] &+ (last > first ? mask[last - 1] : 0)
    }
  }
}
