public import Signalling

/// Notices what moves in front of a fixed camera, and when the camera is tampered with.
///
/// Takes the luma of a frame, averaged over squares (``CellGrid``), about ten times a second. Lighting, shadows,
/// leaves, rain and noise are no motion; see docs/reference/events.md for how they are distinguished. Nothing is
/// reported in the first six seconds.
/// Reads no clock and allocates only when made, some 500 KiB. Use from one thread.
public struct MotionDetector: ~Copyable {
  public let grid: CellGrid
  private var model: BackgroundModel
  private var exposure = ExposureEstimate()
  private var lighting: LightingTest
  private let edges: EdgeSharpness
  private var filter: CellFilter
  private var finder: BlobFinder
  private var tracker = MotionTracker()
  private var light = LightWatch()
  private var tamper: TamperWatch
  private var zones: [ZoneCells]
  private let luma: CellPlane<UInt8>
  private let excess: CellPlane<UInt8>
  private let mask: CellPlane<UInt8>
  private let classes: CellPlane<CellClass>
  private var stepCount = 0

  private static let learningSteps = 60

  public init(grid: CellGrid, settings: MotionSettings = MotionSettings()) {
    self.grid = grid
    model = BackgroundModel(grid, settings)
    lighting = LightingTest(grid)
    edges = EdgeSharpness(grid: grid)
    filter = CellFilter(grid)
    finder = BlobFinder(grid)
    tamper = TamperWatch(grid)
    zones = settings.zones.map { ZoneCells($0, grid) }
    luma = CellPlane(repeating: 0, count: grid.count)
    excess = CellPlane(repeating: 0, count: grid.count)
    mask = CellPlane(repeating: 0, count: grid.count)
    classes = CellPlane(repeating: .background, count: grid.count)
  }

  /// Changes the settings. The learned scene stays, and tracking continues.
  public mutating func apply(_ settings: MotionSettings) {
    model.apply(settings)
    zones = settings.zones.map { ZoneCells($0, grid) }
  }

  /// What the last frame showed in a zone, numbered as in the settings; nil for nothing.
  public func motion(inZone zone: Int) -> MotionObservation? { zones[zone].found }

  /// The camera's problem, as of the last frame.
  public var tampering: CameraTampering? { tamper.state }

  /// Takes one frame.
  /// - Parameter cells: one byte a cell, row by row, as many as the grid has.
  public mutating func analyze(at cells: Span<UInt8>) {
    precondition(cells.count == grid.count)
    defer { stepCount += 1 }
    luma.copy(cells)
    if stepCount == 0 { model.restart(luma) }
    tamper.analyze(at: luma)
    let gain = exposure.gain(of: luma, over: model.mean)
    if abs(gain - 256) > 2 { model.scale(by: gain) }
    let count = model.compare(luma, into: excess)
    if stepCount < Self.learningSteps || light.isChanging(differing: count, of: grid.count) {
      relearn()
    } else {
      lighting.isLightChanging = light.hasJustChanged
      findObjects(count)
      classify()
      model.adapt(to: luma, classes)
    }
  }

  private mutating func relearn() {
    tracker.clear()
    for index in zones.indices { zones[index].found = nil }
    model.relearn(luma, isFirst: stepCount < Self.learningSteps)
  }

  private mutating func findObjects(_ count: Int) {
    markUnexplained(count)
    finder.find(mask, excess)
    for index in 0..<finder.blobs.count where !edges.isObject(index, finder, luma, model) { finder.markAsLight(index) }
    tracker.follow(finder.blobs)
    for index in zones.indices { zones[index].analyze(for: tracker.tracks, in: grid) }
  }

  /// Leaves in the mask what differs, is no speck, and is not explained by light.
  private mutating func markUnexplained(_ count: Int) {
    classes.fill(.background)
    for index in stride(from: 0, to: mask.count, by: 8) {
      mask[octet: index] = excess[octet: index].reaching(1)
    }
    guard count > 0 else { return }
    filter.apply(mask, least: 3)
    let rows = mask.markedRows(grid)
    guard !rows.isEmpty else { return }
    removeRelit(rows)
    filter.apply(mask, least: 4)
    filter.apply(mask, least: 1)
  }

  private mutating func removeRelit(_ rows: Range<Int>) {
    lighting.prepare(rows, luma, model)
    for index in rows.lowerBound * grid.width..<rows.upperBound * grid.width where mask[index] != 0 {
      if excess[index] == 0 {
        mask[index] = 0
      } else if lighting.explains(index, luma, model, excess) {
        mask[index] = 0
        classes[index] = .relit
      }
    }
  }

  private mutating func classify() {
    for octet in stride(from: 0, to: classes.count, by: 8) where !excess.isZero(octet: octet) {
      for index in octet..<min(octet + 8, classes.count) where excess[index] != 0 { classify(index) }
    }
    tracker.removeLost()
  }

  private func classify(_ index: Int) {
    let blob = Int(finder.labels[index])
    if blob > 0 {
      let isMoving = tracker.isMoving(blob: blob - 1)
      classes[index] = finder.blobs[blob - 1].isLight ? .relit : isMoving ? .moving : .unsettled
    } else if classes[index] != .relit {
      classes[index] = .unsettled
    }
  }
}

/// Something that moves in a zone.
public struct MotionObservation: Hashable, Sendable {
  /// 0 to 100: how much it differs from the background, and how far it has gone.
  public var score: Int
  public var region: FrameRegion

  /// Takes the values unchecked.
  public init(score: Int, region: FrameRegion) {
    self.score = score
    self.region = region
  }
}
