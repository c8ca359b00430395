internal import EventDetection
internal import Locking
public import Logging
public import MediaCore
public import MediaPipeline
public import PlaceDetection

/// Follows the device's positions, and makes events of those who cross borders.
public final class PlaceWatch: Sendable {
  /// A fence; its id names it in steps.
  public struct Source: Hashable, Sendable {
    public var id: Int
    public var fence: Geofence

    public init(id: Int, fence: Geofence) {
      self.id = id
      self.fence = fence
    }
  }

  private struct State {
    var fences: [(id: Int, detector: GeofenceDetector)]
    var presence = PositionPresence()
  }

  private let steps: EventStepQueue
  private let state: Mutex<State>

  /// - Parameter steps: where what is noticed goes.
  public init(_ sources: [Source], steps: EventStepQueue) {
    self.steps = steps
    state = Mutex(State(fences: sources.map { ($0.id, GeofenceDetector($0.fence)) }))
  }

  /// Takes a position; from any thread.
  public func take(_ fix: PositionFix, at time: MonotonicInstant, _ logger: Logger) {
    let isBack = state.withLock { state in
      for index in state.fences.indices {
        push(state.fences[index].detector.take(fix, at: time), of: state.fences[index])
      }
      return state.presence.take(at: time)
    }
    if isBack { logger.info("positions come again: geofences are judged") }
  }

  /// To be called each second or so.
  public func tick(now: MonotonicInstant, _ logger: Logger) {
    let isLost = state.withLock { state in
      for index in state.fences.indices {
        push(state.fences[index].detector.tick(now: now), of: state.fences[index])
      }
      return state.presence.tick(now: now)
    }
    guard isLost else { return }
    logger.warning(
      "no position for a minute: nobody knows on which side of its geofences the device is; see [location]")
  }

  private func push(_ found: [GeofenceDetector.Step], of fence: (id: Int, detector: GeofenceDetector)) {
    for step in found { steps.push(EventStep(source: fence.id, step: step, detail: fence.detector.detail)) }
  }
}
