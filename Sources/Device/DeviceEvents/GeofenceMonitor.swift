public import EventDetection
import Signalling
internal import SystemSupport
public import Logging
public import MediaCore
public import MediaPipeline

/// Follows the device's positions, and makes events of borders that it crosses and of its speed.
public final class GeofenceMonitor: Sendable {
  /// What is judged; its id names it in steps.
  public struct Source: Sendable {
    public var id: Int
    public var detector: any PositionDetector

    public init(id: Int, detector: any PositionDetector) {
      self.id = id
      self.detector = detector
    }
  }

  private struct State {
    var sources: [Source]
    var presence = PositionPresence()

    mutating func replace(_ wanted: [Source]) {
      if sources.isEmpty { presence = PositionPresence() }
      let old = sources
      sources = wanted.map { source in old.first { $0.id == source.id } ?? source }
    }
  }

  private let steps: EventStepQueue
  private let state: Mutex<State>

  /// - Parameter steps: where what is noticed goes.
  public init(_ sources: [Source], steps: EventStepQueue) {
    self.steps = steps
    state = Mutex(State(sources: sources))
  }

  /// Judges by these from now on. A source whose id was there before continues, and whatever is ongoing at others ends.
  /// From any thread.
  public func apply(_ sources: [Source]) {
    let ids = Set(sources.map(\.id))
    state.withLock { state in
      for index in state.sources.indices where !ids.contains(state.sources[index].id) {
        push(state.sources[index].detector.finish(), of: state.sources[index])
      }
      state.replace(sources)
    }
  }

  /// Takes a position; from any thread.
  public func take(_ fix: PositionFix, at time: MonotonicInstant, _ logger: Logger) {
    let isBack = state.withLock { state in
      guard !state.sources.isEmpty else { return false }
      evaluate(&state) { $0.take(fix, at: time) }
      return state.presence.take(at: time)
    }
    if isBack { logger.info("positions come again: geofences and speed are judged") }
  }

  /// To be called each second or so.
  public func tick(now: MonotonicInstant, _ logger: Logger) {
    let isLost = state.withLock { state in
      guard !state.sources.isEmpty else { return false }
      evaluate(&state) { $0.tick(now: now) }
      return state.presence.tick(now: now)
    }
    guard isLost else { return }
    logger.warning("no position for a minute: the device's place and speed are unknown; see [location]")
  }

  private func evaluate(_ state: inout State, _ step: (inout any PositionDetector) -> [ConditionDetector.Step]) {
    for index in state.sources.indices {
      let found = step(&state.sources[index].detector)
      push(found, of: state.sources[index])
    }
  }

  private func push(_ found: [EventTrigger<FrameRegion>.Step], of source: Source) {
    for step in found { steps.push(EventStep(source: source.id, step: step, detail: source.detector.detail)) }
  }
}
