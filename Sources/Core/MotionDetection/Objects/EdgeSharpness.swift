/// Distinguishes objects from light by their edges: an object's are sharp, those of incident light are soft or lie
/// where the background has one.
///
/// Along the border of a blob, the ratio of frame and background inside is compared with that outside. Against the
/// mean ratio in the blob that makes a number near 100 % for objects and far less for light. Where something has left that
/// had become background, the background has the edges and the frame has none: that is no object either.
struct EdgeSharpness {
  let grid: CellGrid

  /// Percent below which a blob is light.
  static let leastPercent = 55
  /// The minimum number of border positions for a conclusion.
  private static let fewestPlaces = 4
  /// From the border inwards and outwards.
  private static let (inward, outward) = (2, 1)

  /// Whether a blob's edges are sharp enough for an object.
  func isObject(
    _ number: Int, _ finder: borrowing BlobFinder, _ luma: borrowing CellPlane<UInt8>,
    _ model: borrowing BackgroundModel
  ) -> Bool {
    let box = finder.blobs[number].box
    let label = UInt16(clamping: number + 1)
    var border = BorderSums()
    for row in max(box.top - 1, 0)...min(box.bottom + 1, grid.height - 1) {
      for column in max(box.left - 1, 0)...min(box.right + 1, grid.width - 1) {
        let index = row * grid.width + column
        guard finder.labels[index] == label else { continue }
        border.addInside(ratio(index, luma, model))
        addBorders(column, row, label, finder, luma, model, to: &border)
      }
    }
    return border.places < Self.fewestPlaces || (border.sharpness >= Self.leastPercent && !border.isOfBackground)
  }

  private func addBorders(
    _ column: Int, _ row: Int, _ label: UInt16, _ finder: borrowing BlobFinder, _ luma: borrowing CellPlane<UInt8>,
    _ model: borrowing BackgroundModel, to border: inout BorderSums
  ) {
    let steps: InlineArray<4, (Int, Int)> = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    for side in steps.indices {
      let (dx, dy) = steps[side]
      guard let outside = place(column + dx * Self.outward, row + dy * Self.outward),
        let inside = place(column - dx * Self.inward, row - dy * Self.inward),
        finder.labels[outside] != label, finder.labels[inside] == label
      else { continue }
      border.addStep(
        ratio: ratio(inside, luma, model) - ratio(outside, luma, model),
        frame: Int(luma[inside]) - Int(luma[outside]),
        background: Int((model.mean[inside] - model.mean[outside]) >> 8))
    }
  }

  private func place(_ column: Int, _ row: Int) -> Int? {
    0..<grid.width ~= column && 0..<grid.height ~= row ? row * grid.width + column : nil
  }

  /// Frame by background, of 256.
  private func ratio(_ index: Int, _ luma: borrowing CellPlane<UInt8>, _ model: borrowing BackgroundModel) -> Int {
    ((Int(luma[index]) + 4) << 16) / Int(model.mean[index] + 1_024)
  }
}

private struct BorderSums {
  var places = 0
  private var steps = 0
  private var frameSteps = 0
  private var backgroundSteps = 0
  private var cells = 0
  private var departures = 0

  mutating func addStep(ratio: Int, frame: Int, background: Int) {
    places += 1
    steps += abs(ratio)
    frameSteps += abs(frame)
    backgroundSteps += abs(background)
  }

  mutating func addInside(_ ratio: Int) {
    cells += 1
    departures += abs(ratio - 256)
  }

  /// Whether the edges are the background's rather than the frame's.
  var isOfBackground: Bool { frameSteps * 2 < backgroundSteps }

  /// Percent.
  var sharpness: Int { steps * cells * 100 / max(departures * places, 1) }
}
