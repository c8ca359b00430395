internal import EventDetection
internal import Signalling
internal import SystemSupport
public import MediaCore
public import MotionDetection
internal import PixelConversion

/// What is detected in the camera's frames.
public struct SceneWatchSettings: Sendable {
  /// A source of events.
  public struct Source: Sendable {
    /// Identifies its steps.
    public var id: Int
    public var detector: any FrameDetector

    public init(id: Int, detector: any FrameDetector) {
      self.id = id
      self.detector = detector
    }
  }

  /// Its zones are those of the sources.
  public let motion: MotionSettings
  public let sources: [Source]

  /// - Parameter motion: with any zones.
  public init(motion: MotionSettings, sources: [Source]) {
    var motion = motion
    motion.zones = sources.compactMap { $0.detector.zone }
    self.motion = motion
    self.sources = sources
  }
}

/// Analyses the camera's frames ten times a second, on the thread that encodes video, while the camera is open.
///
/// Of an analysed frame only the averaged luma is copied. Allocates for a new frame size, and when something is
/// noticed.
public final class MotionMonitor: Sendable {
  private let steps: EventStepQueue
  /// Drawn into the images of events, as into all frames.
  private let overlay: FrameOverlay?
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var settings: MotionSettings
    var look: SceneAnalysis?
    var sources: [WatchedSource]
    /// What the sources judge.
    var analyses: WantedAnalyses
    var pace = AnalysisPace()
    var presence = FramePresence()
  }

  /// - Parameters:
  ///   - settings: without sources, nothing is analysed before ``apply(_:)`` names some.
  ///   - overlay: what images of events show beside the scene.
  ///   - steps: where what is noticed goes.
  public init(_ settings: SceneWatchSettings, overlay: FrameOverlay? = nil, steps: EventStepQueue) {
    self.overlay = overlay
    self.steps = steps
    state = Mutex(
      State(
        settings: settings.motion, sources: WatchedSource.make(settings.sources, after: []),
        analyses: WantedAnalyses(settings.sources)))
  }

  /// Detects these from now on. A source whose id was there before continues, ongoing events of others end; what is
  /// learned of the scene stays for as long as there are sources. From any thread.
  public func apply(_ settings: SceneWatchSettings) {
    state.withLock { state in
      if state.sources.isEmpty { (state.presence, state.pace) = (state.presence.begun(), AnalysisPace()) }
      let ids = Set(settings.sources.map(\.id))
      for index in state.sources.indices where !ids.contains(state.sources[index].id) { finish(index, &state) }
      state.settings = settings.motion
      state.sources = WatchedSource.make(settings.sources, after: state.sources)
      state.analyses = WantedAnalyses(settings.sources)
      if state.sources.isEmpty { state.look = nil }
      state.look?.apply(settings.motion)
    }
  }

  private func finish(_ index: Int, _ state: inout State) {
    for step in state.sources[index].detector.finish() {
      steps.push(EventStep(source: state.sources[index].id, step: step))
    }
  }

  /// Ends what has had no signal for long enough, and notices missing frames; to be called once a second.
  public func tick(now: MonotonicInstant) {
    state.withLock { state in
      let isMissing = state.presence.isMissing(now: now)
      for index in state.sources.indices {
        let found =
          isMissing ? state.sources[index].detector.miss(at: now) : state.sources[index].detector.tick(now: now)
        for step in found {
          steps.push(
            EventStep(
              source: state.sources[index].id, step: step, detail: state.sources[index].detector.detail))
        }
      }
    }
  }

  /// While the camera is muted nothing is analysed, and no frames count as missing.
  func setMuted(_ isMuted: Bool) {
    state.withLock { state in
      state.presence.setMuted(isMuted)
      guard isMuted else { return }
      for index in state.sources.indices { finish(index, &state) }
    }
  }

  /// The frames come from another source now, whose background is another.
  func beginSource() {
    state.withLock { state in
      state.look = nil
      state.pace = AnalysisPace()
    }
  }

  /// From the video thread, with each frame of the camera.
  func offer(_ image: borrowing I420Buffer, at captured: MonotonicInstant) {
    state.withLock { state in
      guard !state.sources.isEmpty else { return }
      state.presence.note()
      guard state.pace.isDue(at: captured) else { return }
      if state.look?.fits(image) != true { state.look = SceneAnalysis(image, state.settings) }
      guard let look = state.look else { return }
      look.take(image, for: state.analyses)
      var scene: SceneFrame?
      for index in state.sources.indices {
        for step in state.sources[index].take(look, at: captured) {
          report(step, of: index, &state) {
            let copied = scene ?? makeScene(image, at: captured)
            scene = copied
            return copied
          }
        }
      }
    }
  }

  /// - Parameter scene: the frame, copied once for all that begin or peak with it.
  private func report(
    _ step: EventTrigger<FrameRegion>.Step, of index: Int, _ state: inout State, scene: () -> SceneFrame
  ) {
    var told = EventStep(source: state.sources[index].id, step: step, detail: state.sources[index].detector.detail)
    if state.sources[index].wantsFrame(step) { told.scene = scene() }
    steps.push(told)
  }

  /// The overlay goes into a copy: the frame itself is still analysed. The reader of the step encodes it.
  private func makeScene(_ image: borrowing I420Buffer, at captured: MonotonicInstant) -> SceneFrame {
    var copy = image.copy()
    overlay?.draw(into: &copy, at: captured)
    return SceneFrame(copy)
  }
}

/// When to analyse: ten times a second on average, whatever the frame rate.
private struct AnalysisPace {
  private var next: MonotonicInstant?

  private static let interval = TimeSpan.milliseconds(100)
  /// Frames do not come to the millisecond.
  private static let tolerance = TimeSpan.milliseconds(10)

  mutating func isDue(at captured: MonotonicInstant) -> Bool {
    guard let due = next else {
      next = captured + Self.interval
      return true
    }
    guard captured >= due - Self.tolerance else { return false }
    next = captured - due < Self.interval ? due + Self.interval : captured + Self.interval
    return true
  }
}

/// A source of events with what it has reported.
private struct WatchedSource {
  let id: Int
  var detector: any FrameDetector
  /// Of the settings of motion; nil where it judges none.
  private var zone: Int?
  private var imagedAt: MonotonicInstant?

  /// The minimum time before a better image of an ongoing event.
  private static let frameInterval = TimeSpan.milliseconds(300)

  /// - Parameter old: those whose ids are wanted again continue.
  static func make(_ sources: [SceneWatchSettings.Source], after old: [WatchedSource]) -> [WatchedSource] {
    var zones = 0
    return sources.map { source in
      var watched = old.first { $0.id == source.id } ?? WatchedSource(source)
      guard watched.detector.zone != nil else { return watched }
      defer { zones += 1 }
      watched.zone = zones
      return watched
    }
  }

  private init(_ source: SceneWatchSettings.Source) { (id, detector) = (source.id, source.detector) }

  /// The result of an analysis of the scene.
  mutating func take(_ look: SceneAnalysis, at time: MonotonicInstant) -> [EventTrigger<FrameRegion>.Step] {
    detector.take(look.findings(inZone: zone), at: time)
  }

  /// Whether a step deserves an image; takes note of it then.
  mutating func wantsFrame(_ step: EventTrigger<FrameRegion>.Step) -> Bool {
    switch step {
    case .ended: return false
    case .peaked(let span):
      if let imagedAt, span.peakTime - imagedAt < Self.frameInterval { return false }
      imagedAt = span.peakTime
    case .began(let span): imagedAt = span.end
    }
    return true
  }
}

extension FrameDetector {
  /// Nil where it judges no motion.
  fileprivate var zone: MotionZone? {
    switch analysis {
    case .motion(let zone): zone
    case .tampering, .brightness: nil
    }
  }
}

/// A detector for one frame size, with its memory. Used under the watch's lock alone.
private final class SceneAnalysis {
  private let width: Int
  private let height: Int
  private let side: Int
  private var detector: MotionDetector
  private var cells: [UInt8]
  /// Of the last frame, where a source needs it.
  private var brightness: Double?

  init(_ image: borrowing I420Buffer, _ settings: MotionSettings) {
    (width, height) = (image.width, image.height)
    let grid = CellGrid(frameWidth: image.width, frameHeight: image.height)
    side = grid.side
    detector = MotionDetector(grid: grid, settings: settings)
    cells = [UInt8](repeating: 0, count: grid.count)
  }

  func apply(_ settings: MotionSettings) { detector.apply(settings) }

  func fits(_ image: borrowing I420Buffer) -> Bool { image.width == width && image.height == height }

  func take(_ image: borrowing I420Buffer, for analyses: WantedAnalyses) {
    // Taken out meanwhile: a span of an array must not outlive an access to the object.
    var luma: [UInt8] = []
    swap(&luma, &cells)
    do {
      var reduced = luma.mutableSpan
      LumaReducer.reduce(image, side: side, into: &reduced)
    }
    if analyses.comparesScenes { detector.analyze(at: luma.span) }
    brightness = analyses.measuresBrightness ? Brightness.percent(of: luma.span) : nil
    swap(&luma, &cells)
  }

  /// - Parameter zone: nil for no motion.
  func findings(inZone zone: Int?) -> FrameFindings {
    FrameFindings(
      motion: zone.flatMap { detector.motion(inZone: $0) }, tampering: detector.tampering, brightness: brightness)
  }
}

/// What is done with a frame: what no source judges is left out.
private struct WantedAnalyses {
  private(set) var comparesScenes = false
  private(set) var measuresBrightness = false

  init(_ sources: [SceneWatchSettings.Source]) {
    for source in sources {
      switch source.detector.analysis {
      case .motion, .tampering: comparesScenes = true
      case .brightness: measuresBrightness = true
      }
    }
  }
}
