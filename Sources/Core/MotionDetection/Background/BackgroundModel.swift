/// Each cell's appearance while nothing moves, and its own variation.
///
/// Means and deviations are fixed-point numbers with 8 bits of fraction. A cell that flickers, as leaves and water do, gets a
/// large deviation within seconds and keeps it for a minute, so that it takes more to stand out there. What is brighter
/// and what is darker than the mean counts apart: rain only makes brighter.
struct BackgroundModel: ~Copyable {
  private let grid: CellGrid
  let mean: CellPlane<Int32>
  /// How far cells vary above and below their means without motion.
  let above: CellPlane<Int32>
  let below: CellPlane<Int32>
  /// How much a shift by a quarter of a cell may change: a camera on a pole shakes.
  private let tolerance: CellPlane<Int32>
  /// 0 in ignored cells, else 1.
  private let watched: CellPlane<UInt8>
  private var leastDifference: Int32 = 0
  private var nextRow = 0

  private static let fraction: Int32 = 8
  /// How far a mean moves per frame at most, so that flashes do not draw it.
  private static let maxStep: Int32 = 64
  private static let leastDeviation: Int32 = 96
  private static let maxDeviation: Int32 = 64 << 8
  /// Rows whose tolerance is recomputed with each frame.
  private static let rowsPerStep = 8

  init(_ grid: CellGrid, _ settings: MotionSettings) {
    self.grid = grid
    mean = CellPlane(repeating: 0, count: grid.count)
    above = CellPlane(repeating: 3 * Self.leastDeviation, count: grid.count)
    below = CellPlane(repeating: 3 * Self.leastDeviation, count: grid.count)
    tolerance = CellPlane(repeating: 0, count: grid.count)
    watched = CellPlane(repeating: 1, count: grid.count)
    apply(settings)
  }

  /// Changes the settings; the learned background stays.
  mutating func apply(_ settings: MotionSettings) {
    watched.fill(1)
    for masked in settings.masks.map({ $0.cells(grid) }) {
      for index in 0..<grid.count where masked[index] { watched[index] = 0 }
    }
    leastDifference = (Int32(1_400 - 10 * settings.sensitivity) << Self.fraction) / 100
  }

  /// Takes a frame as the background; deviations stay.
  mutating func restart(_ luma: borrowing CellPlane<UInt8>) {
    for index in 0..<luma.count { mean[index] = Int32(luma[index]) << Self.fraction }
    for _ in stride(from: 0, to: grid.height, by: Self.rowsPerStep) { refreshTolerance() }
  }

  /// Marks the cells that differ: 0 where they do not, else how far beyond the threshold they are, in quarters of it
  /// (4 is just beyond; at most 63). Returns their number.
  func compare(
    _ luma: borrowing CellPlane<UInt8>, into excess: borrowing CellPlane<UInt8>
  ) -> Int {
    var count = 0
    for octet in stride(from: 0, to: luma.count, by: 8) {
      excess[octet: octet] = Octet(repeating: 0)
      guard mayDiffer(octet, luma) else { continue }
      for index in octet..<min(octet + 8, luma.count) where watched[index] != 0 {
        let (difference, threshold) = distance(index, luma)
        guard difference > threshold else { continue }
        excess[index] = UInt8(clamping: min(difference * 4 / threshold, 63))
        count += 1
      }
    }
    return count
  }

  /// Whether one of eight cells differs; watched or not.
  private func mayDiffer(_ octet: Int, _ luma: borrowing CellPlane<UInt8>) -> Bool {
    let difference = self.difference(octet: octet, luma)
    let deviation = difference.choosing(above[octet: octet], whereNegative: below[octet: octet])
    let threshold = deviation &+ deviation &+ deviation &+ tolerance[octet: octet] &+ leastDifference
    return (threshold &- difference.choosing(difference, whereNegative: 0 &- difference)).hasNegative
  }

  /// How far a cell is from its mean, and how far it may be.
  private func distance(_ index: Int, _ luma: borrowing CellPlane<UInt8>) -> (difference: Int32, threshold: Int32) {
    let signed = (Int32(luma[index]) << Self.fraction) - mean[index]
    return (abs(signed), leastDifference + 3 * (signed > 0 ? above[index] : below[index]) + tolerance[index])
  }

  private func difference(octet: Int, _ luma: borrowing CellPlane<UInt8>) -> Octet<Int32> {
    (Octet<Int32>(truncatingIfNeeded: luma[octet: octet]) &<< Self.fraction) &- mean[octet: octet]
  }

  /// Follows a change of exposure, which scales all cells alike.
  /// - Parameter gain: of 256.
  func scale(by gain: Int32) {
    for index in 0..<mean.count { mean[index] = min((mean[index] * gain) >> 8, 255 << Self.fraction) }
  }

  /// Learns from a frame, as fast as each cell's content permits.
  mutating func adapt(to luma: borrowing CellPlane<UInt8>, _ classes: borrowing CellPlane<CellClass>) {
    for octet in stride(from: 0, to: luma.count, by: 8) {
      if classes.isZero(octet: octet) {
        adaptBackground(octet, luma)
      } else {
        for index in octet..<min(octet + 8, luma.count) { adapt(index, luma, classes[index]) }
      }
    }
    refreshTolerance()
  }

  private func adapt(_ index: Int, _ luma: borrowing CellPlane<UInt8>, _ kind: CellClass) {
    let difference = (Int32(luma[index]) << Self.fraction) - mean[index]
    switch kind {
    case .background:
      mean[index] = mean[index] + min(max(difference >> 5, -Self.maxStep), Self.maxStep)
      spread(index, difference, shift: 6)
    case .unsettled:
      mean[index] = mean[index] + difference >> 7
      spread(index, difference, shift: 6)
    case .relit: mean[index] = mean[index] + difference >> 4
    case .moving: break
    }
  }

  /// ``adapt(_:_:_:)`` for eight cells of background, which most are.
  private func adaptBackground(_ octet: Int, _ luma: borrowing CellPlane<UInt8>) {
    let difference = self.difference(octet: octet, luma)
    mean[octet: octet] = mean[octet: octet] &+ (difference &>> 5).limited(to: -Self.maxStep, Self.maxStep)
    above[octet: octet] = Self.spread(above[octet: octet], towards: difference)
    below[octet: octet] = Self.spread(below[octet: octet], towards: 0 &- difference)
  }

  /// Learns fast, while nothing is known yet or the light changes.
  /// - Parameter isFirst: whether deviations are learned as well.
  mutating func relearn(_ luma: borrowing CellPlane<UInt8>, isFirst: Bool) {
    for index in 0..<luma.count {
      let difference = (Int32(luma[index]) << Self.fraction) - mean[index]
      mean[index] = mean[index] + difference >> (isFirst ? 4 : 2)
      if isFirst { spread(index, difference, shift: 4) }
    }
    refreshTolerance()
  }

  /// Deviations rise fast and fall slowly.
  private func spread(_ index: Int, _ difference: Int32, shift: Int32) {
    let (up, down) = (difference - above[index], -difference - below[index])
    let raised = above[index] + (up > 0 ? up >> shift : -(above[index] >> 9))
    let lowered = below[index] + (down > 0 ? down >> shift : -(below[index] >> 9))
    above[index] = min(max(raised, Self.leastDeviation), Self.maxDeviation)
    below[index] = min(max(lowered, Self.leastDeviation), Self.maxDeviation)
  }

  private static func spread(_ deviation: Octet<Int32>, towards difference: Octet<Int32>) -> Octet<Int32> {
    let up = difference &- deviation
    let step = up.choosing(up &>> 6, whereNegative: 0 &- (deviation &>> 9))
    return (deviation &+ step).limited(to: leastDeviation, maxDeviation)
  }

  /// Refreshes some rows: a quarter of the range of the neighbouring cells.
  private mutating func refreshTolerance() {
    for row in nextRow..<min(nextRow + Self.rowsPerStep, grid.height) {
      let above = max(row - 1, 0) * grid.width
      let here = row * grid.width
      let below = min(row + 1, grid.height - 1) * grid.width
      for column in 0..<grid.width {
        let (left, right) = (here + max(column - 1, 0), here + min(column + 1, grid.width - 1))
        let highest = max(max(mean[above + column], mean[below + column]), max(mean[left], mean[right]))
        let lowest = min(min(mean[above + column], mean[below + column]), min(mean[left], mean[right]))
        tolerance[here + column] = (highest - lowest) >> 2
      }
    }
    nextRow = nextRow + Self.rowsPerStep >= grid.height ? 0 : nextRow + Self.rowsPerStep
  }
}

/// What a cell shows, as far as it decides how the background is learned.
enum CellClass: UInt8, Sendable {
  case background = 0
  /// The background under other light.
  case relit
  /// Differs, but belongs to nothing that goes anywhere.
  case unsettled
  /// Part of something that moves, or may turn out to.
  case moving
}
