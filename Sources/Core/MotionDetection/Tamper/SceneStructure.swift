internal import MediaCore

/// The learned image of a scene, and how much of its structure a frame has.
///
/// Light scales gradients but leaves their directions, so blocks of the frame are compared by the correlation of
/// their gradients. A block of which most is hidden by an object does not match; most blocks do not at once.
struct SceneStructure: ~Copyable {
  /// How a frame compares with the learned one, in percent.
  struct Comparison: Hashable {
    /// Blocks with structure whose fine gradients correlate.
    var matchingShare: Int
    /// Blocks whose coarse gradients do.
    var coarseShare: Int
    /// Fine against coarse gradients, as a percentage of the same ratio of the learned image.
    var sharpness: Int
    /// The energy of gradients as a percentage of the learned one, after exposure.
    var detail: Int
  }

  private let grid: CellGrid
  /// The scene, and the mean of the last frames, which have less noise; with 8 bits of fraction.
  private let reference: CellPlane<Int32>
  private let recent: CellPlane<Int32>
  private let blockWidth: Int
  private let blockHeight: Int

  private static let blocks = 8
  private static let coarseStep = 4
  /// A block's mean squared gradient, in squares of a sixteenth of luma, below which it has no structure.
  private static let leastEnergy: Int64 = 6 * 256

  init(_ grid: CellGrid) {
    self.grid = grid
    reference = CellPlane(repeating: 0, count: grid.count)
    recent = CellPlane(repeating: 0, count: grid.count)
    blockWidth = max(grid.width / Self.blocks, 1)
    blockHeight = max(grid.height / Self.blocks, 1)
  }

  /// Takes a frame.
  func analyze(at luma: borrowing CellPlane<UInt8>) {
    for octet in stride(from: 0, to: luma.count, by: 8) {
      let frame = Octet<Int32>(truncatingIfNeeded: luma[octet: octet]) &<< 8
      recent[octet: octet] = recent[octet: octet] &+ (frame &- recent[octet: octet]) &>> 2
    }
  }

  /// Follows the scene: as slowly as the sun does, once `weight` is large.
  func learn(weight: Int32) {
    for index in 0..<reference.count {
      reference[index] = reference[index] + (recent[index] - reference[index]) / max(weight, 1)
    }
  }

  /// Nil where the learned image has too little structure to compare.
  func compare() -> Comparison? {
    var total = Totals()
    for top in stride(from: 0, through: grid.height - blockHeight, by: blockHeight) {
      for left in stride(from: 0, through: grid.width - blockWidth, by: blockWidth) {
        add(
          gradients(left, top, step: 1), gradients(left, top, step: Self.coarseStep), to: &total)
      }
    }
    guard total.structured >= Self.blocks else { return nil }
    return Comparison(
      matchingShare: total.matching * 100 / total.structured, coarseShare: total.coarse * 100 / total.structured,
      sharpness: total.sharpness, detail: total.detail)
  }

  private func add(_ fine: GradientSums, _ coarse: GradientSums, to total: inout Totals) {
    total.fine.add(fine)
    total.rough.add(coarse)
    guard fine.reference >= Self.leastEnergy * Int64(clamping: blockWidth * blockHeight) else { return }
    total.structured += 1
    if fine.correlates { total.matching += 1 }
    if coarse.correlates { total.coarse += 1 }
  }

  private func gradients(_ left: Int, _ top: Int, step: Int) -> GradientSums {
    var sums = GradientSums()
    // In a grid of few rows or columns a block may lie beyond the last that has a neighbour.
    for row in top..<max(min(top + blockHeight, grid.height - step), top) {
      for column in left..<max(min(left + blockWidth, grid.width - step), left) {
        let index = row * grid.width + column
        let (right, below) = (index + step, index + step * grid.width)
        let (value, known) = (recent[index], reference[index])
        sums.add((recent[right] - value) >> 4, (reference[right] - known) >> 4)
        sums.add((recent[below] - value) >> 4, (reference[below] - known) >> 4)
      }
    }
    return sums
  }
}

/// Energies of gradients, and of their common part.
private struct GradientSums {
  var frame: Int64 = 0
  var reference: Int64 = 0
  private var common: Int64 = 0

  /// In sixteenths of luma.
  mutating func add(_ gradient: Int32, _ known: Int32) {
    let (gradient, known) = (Int64(gradient), Int64(known))
    frame += gradient * gradient
    reference += known * known
    common += gradient * known
  }

  mutating func add(_ other: GradientSums) {
    frame += other.frame
    reference += other.reference
    common += other.common
  }

  /// Whether their correlation is 0.4 or more, and there is a sixteenth of the learned contrast at least: what the mean of the
  /// last frames still has of a frame long gone correlates with it until it is rounded away.
  var correlates: Bool {
    common > 0 && frame >= reference / 256
      && Double(common) * Double(common) >= 0.16 * Double(frame) * Double(reference)
  }
}

private struct Totals {
  var structured = 0
  var matching = 0
  var coarse = 0
  var fine = GradientSums()
  var rough = GradientSums()

  var detail: Int { percent(Double(fine.frame) / Double(max(fine.reference, 1))) }

  var sharpness: Int {
    let now = Double(fine.frame) / Double(max(rough.frame, 1))
    let then = Double(fine.reference) / Double(max(rough.reference, 1))
    return percent(now / max(then, 1e-6))
  }

  private func percent(_ ratio: Double) -> Int { min(Int(saturating: ratio * 100), 10_000) }
}
