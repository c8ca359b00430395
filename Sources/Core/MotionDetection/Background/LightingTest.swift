/// Distinguishes the background under other light (a shadow, a lamp, the sun behind a cloud) from an object in front of
/// it.
///
/// Light scales what is there, so its texture stays: within a small window the fine detail of the frame and of the
/// background correlate, also where the edge of a shadow runs. Where the background has no texture, only a darkening by
/// a factor that shadows have counts as one.
struct LightingTest: ~Copyable {
  /// Whether the light of the whole frame is changing: then cells without texture may become brighter, too.
  var isLightChanging = false
  private let grid: CellGrid
  /// Four times the difference of each cell from the mean of its four neighbours.
  private let frameDetail: CellPlane<Int32>
  private let backgroundDetail: CellPlane<Int32>

  private static let reach = 2
  /// Fewer differing cells in a window are inconclusive.
  private static let fewestCells: Int64 = 6
  /// What noise of one cell makes of the square of a detail: 4² and four times 1.
  private static let noiseGain: Int64 = 20
  /// In 256ths of squares of luma.
  private static let leastNoise: Int64 = 128
  /// Percent of the background's luma that shadows leave.
  private static let shadowRatios = 42...96

  init(_ grid: CellGrid) {
    self.grid = grid
    frameDetail = CellPlane(repeating: 0, count: grid.count)
    backgroundDetail = CellPlane(repeating: 0, count: grid.count)
  }

  /// Prepares for the cells of some rows of a frame. The outermost cells have no detail.
  func prepare(_ rows: Range<Int>, _ luma: borrowing CellPlane<UInt8>, _ model: borrowing BackgroundModel) {
    let first = max(rows.lowerBound - Self.reach, 1)
    for row in first..<max(min(rows.upperBound + Self.reach, grid.height - 1), first) {
      for column in 1..<max(grid.width - 1, 1) {
        let index = row * grid.width + column
        let (above, below) = (index - grid.width, index + grid.width)
        let near = Int32(luma[index - 1]) + Int32(luma[index + 1]) + Int32(luma[above]) + Int32(luma[below])
        frameDetail[index] = 4 * Int32(luma[index]) - near
        let known = model.mean[index - 1] + model.mean[index + 1] + model.mean[above] + model.mean[below]
        backgroundDetail[index] = (4 * model.mean[index] - known) >> 8
      }
    }
  }

  /// Whether light explains a differing cell.
  func explains(
    _ index: Int, _ luma: borrowing CellPlane<UInt8>, _ model: borrowing BackgroundModel,
    _ excess: borrowing CellPlane<UInt8>
  ) -> Bool {
    let sums = window(around: index, luma, model, excess)
    guard sums.count >= Self.fewestCells else { return false }
    let deviation = Int64(min(model.above[index], model.below[index]))
    let noise = (sums.count * Self.noiseGain * max(Self.leastNoise, (deviation * deviation) >> 8)) >> 8
    let ratio = sums.frame * 100 / max(sums.background, 1)
    guard 20...(isLightChanging ? 1_000 : 300) ~= ratio else { return false }
    if sums.backgroundDetail > 2 * noise { return sums.correlates(noise: noise) }
    return sums.frameDetail <= 3 * noise && (isLightChanging || Self.shadowRatios ~= Int(ratio))
  }

  private func window(
    around index: Int, _ luma: borrowing CellPlane<UInt8>, _ model: borrowing BackgroundModel,
    _ excess: borrowing CellPlane<UInt8>
  ) -> WindowSums {
    let (column, row) = (index % grid.width, index / grid.width)
    var sums = WindowSums()
    for y in max(row - Self.reach, 0)...min(row + Self.reach, grid.height - 1) {
      for x in max(column - Self.reach, 0)...min(column + Self.reach, grid.width - 1) {
        let place = y * grid.width + x
        guard excess[place] != 0 else { continue }
        sums.add(luma[place], model.mean[place], frameDetail[place], backgroundDetail[place])
      }
    }
    return sums
  }
}

/// Sums over the differing cells of a window.
private struct WindowSums {
  var count: Int64 = 0
  /// Sums of luma.
  var frame: Int64 = 0
  var background: Int64 = 0
  /// Sums of the squares of details, and of their products.
  var frameDetail: Int64 = 0
  var backgroundDetail: Int64 = 0
  private var common: Int64 = 0

  mutating func add(_ luma: UInt8, _ mean: Int32, _ detail: Int32, _ known: Int32) {
    count += 1
    frame += Int64(luma)
    background += Int64(mean >> 8)
    frameDetail += Int64(detail) * Int64(detail)
    backgroundDetail += Int64(known) * Int64(known)
    common += Int64(detail) * Int64(known)
  }

  /// Whether the correlation of the two, without noise, is 0.6 or more.
  func correlates(noise: Int64) -> Bool {
    guard common > 0 else { return false }
    let own = max(frameDetail - noise, noise / 4 + 1)
    return Double(common) * Double(common) >= 0.36 * Double(own) * Double(backgroundDetail)
  }
}
