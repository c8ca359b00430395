internal import MediaCore

/// Cells that hang together.
struct Blob: BitwiseCopyable {
  var box: CellBox
  /// Cells of the mask, without those that closing gaps added.
  var area = 0
  /// Sums over these cells, for the centre.
  var columns = 0
  var rows = 0
  /// Quarters of the threshold by which they differ, in all.
  var excess = 0
  /// Whether light explains all of it.
  var isLight = false

  /// In sixteenths of a cell.
  var centre: CellPoint {
    let count = max(area, 1)
    return CellPoint(x: Int32(clamping: columns * 16 / count), y: Int32(clamping: rows * 16 / count))
  }
}

/// A place or a step, in sixteenths of a cell.
struct CellPoint: Hashable {
  var x: Int32
  var y: Int32

  func distance(to other: CellPoint) -> Int32 {
    let (dx, dy) = (Double(x - other.x), Double(y - other.y))
    return Int32(saturating: (dx * dx + dy * dy).squareRoot())
  }
}

/// Finds blobs in a mask: runs of each row, joined with those of the row before that they touch (8-connectivity).
///
/// All memory is made once. The largest ``capacity`` blobs are kept.
struct BlobFinder: ~Copyable {
  private let grid: CellGrid
  /// Which root each label belongs to.
  private let parents: CellPlane<UInt16>
  private let statistics: CellPlane<Blob>
  private var labelCount = 0
  /// The label of each marked cell, 0 elsewhere; after ``find(_:_:)`` the number of its blob plus 1, 0 for none.
  let labels: CellPlane<UInt16>
  private let places: CellPlane<UInt16>
  private(set) var blobs: [Blob] = []

  static var capacity: Int { 48 }

  init(_ grid: CellGrid) {
    self.grid = grid
    let maximumRuns = (grid.width / 2 + 1) * grid.height + 1
    labels = CellPlane(repeating: 0, count: grid.count)
    parents = CellPlane(repeating: 0, count: maximumRuns)
    places = CellPlane(repeating: 0, count: maximumRuns)
    // Most of 10,000 are never used, and those that are begin with `measure`.
    unsafe statistics = CellPlane(uninitialized: maximumRuns)
    blobs.reserveCapacity(Self.capacity)
  }

  /// - Parameters:
  ///   - mask: what hangs together, 0 and 1.
  ///   - excess: by how much cells differ; those that do not have no part in a blob's area.
  mutating func find(_ mask: borrowing CellPlane<UInt8>, _ excess: borrowing CellPlane<UInt8>) {
    let rows = mask.markedRows(grid)
    let cells = rows.lowerBound * grid.width..<rows.upperBound * grid.width
    labels.fill(0)
    labelRuns(mask, rows)
    for label in 1..<labelCount { parents[label] = root(of: UInt16(label)) }
    measure(excess, cells)
    keepLargest()
    for index in cells where labels[index] != 0 { labels[index] = places[Int(parents[Int(labels[index])])] }
  }

  mutating func markAsLight(_ blob: Int) { blobs[blob].isLight = true }

  private mutating func labelRuns(_ mask: borrowing CellPlane<UInt8>, _ rows: Range<Int>) {
    labelCount = 1
    for row in rows {
      let here = row * grid.width
      var current: UInt16 = 0
      for column in 0..<grid.width {
        guard mask[here + column] != 0 else {
          current = 0
          continue
        }
        current = join(current, above: row == 0 ? nil : here - grid.width, column)
        labels[here + column] = current
      }
    }
  }

  /// The label of a cell: that of its run, joined with those above that touch it, or a new one.
  private mutating func join(_ current: UInt16, above: Int?, _ column: Int) -> UInt16 {
    var current = current
    if let above {
      for x in max(column - 1, 0)...min(column + 1, grid.width - 1) {
        let other = labels[above + x]
        guard other != 0, other != current else { continue }
        if current == 0 { current = other } else { unite(current, other) }
      }
    }
    guard current == 0 else { return current }
    current = UInt16(labelCount)
    parents[labelCount] = current
    labelCount += 1
    return current
  }

  private mutating func unite(_ one: UInt16, _ other: UInt16) {
    let (one, other) = (root(of: one), root(of: other))
    parents[Int(max(one, other))] = min(one, other)
  }

  private func root(of label: UInt16) -> UInt16 {
    var label = label
    while parents[Int(label)] != label { label = parents[Int(label)] }
    return label
  }

  private mutating func measure(_ excess: borrowing CellPlane<UInt8>, _ cells: Range<Int>) {
    let empty = Blob(box: CellBox(left: grid.width, top: grid.height, right: -1, bottom: -1))
    for label in 1..<labelCount { statistics[label] = empty }
    for index in cells where labels[index] != 0 {
      let (column, row) = (index % grid.width, index / grid.width)
      let root = Int(parents[Int(labels[index])])
      guard excess[index] != 0 else { continue }
      var blob = statistics[root]
      blob.box.include(CellBox(left: column, top: row, right: column, bottom: row))
      blob.area += 1
      blob.columns += column
      blob.rows += row
      blob.excess += Int(excess[index])
      statistics[root] = blob
    }
  }

  private mutating func keepLargest() {
    blobs.removeAll(keepingCapacity: true)
    for label in 1..<labelCount {
      places[label] = 0
      guard parents[label] == label, statistics[label].area > 0 else { continue }
      if blobs.count < Self.capacity {
        blobs.append(statistics[label])
        places[label] = UInt16(blobs.count)
      } else {
        replaceSmallest(with: label)
      }
    }
  }

  private mutating func replaceSmallest(with label: Int) {
    var smallest = 0
    for index in 1..<blobs.count where blobs[index].area < blobs[smallest].area { smallest = index }
    guard blobs[smallest].area < statistics[label].area else { return }
    for other in 1..<label where places[other] == smallest + 1 { places[other] = 0 }
    blobs[smallest] = statistics[label]
    places[label] = UInt16(smallest + 1)
  }
}
