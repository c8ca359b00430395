public import MediaCore
internal import Signalling

/// Makes events of a fence's crossings. Reads no clock.
///
/// The score is one for each 10 metres beyond the border, 1 to 100, of the farthest position so far. Where the device is at the
/// first position counts for fences of ``Geofence/Occasion/leave`` and ``Geofence/Occasion/enter``: who carries it away may have
/// cut its power before.
public struct GeofenceDetector: PositionDetector, Hashable {
  private let fence: Geofence
  private var side = SideOfBorder()
  private var trigger = EventTrigger<FrameRegion>(.debouncedElsewhere)
  /// What the newest position showed.
  private var newest = EventTrigger<FrameRegion>.Signal(score: 1)

  public init(_ fence: Geofence) { self.fence = fence }

  /// `left` or `entered`: what the newest event is about.
  public var detail: String? { side.side.map { $0 == .outside ? "left" : "entered" } }

  /// Takes a position; an event begins at the first one beyond the border.
  public mutating func take(_ fix: PositionFix, at time: MonotonicInstant) -> [Step] {
    guard let point = EarthPoint(latitude: fix.latitude, longitude: fix.longitude) else { return [] }
    let distance = fence.area.distance(of: point)
    let change = side.take(distance: distance, error: fix.horizontalError, stay: fence.stay, at: time)
    newest = EventTrigger.Signal(score: max(Int(saturating: abs(distance) / 10), 1))
    if let change { return take(change, at: time) }
    return trigger.isActive && isBeyond(distance) ? trigger.take(newest, at: time) : []
  }

  /// Keeps an event alive that nothing has ended: without positions its end is unknown.
  public mutating func tick(now: MonotonicInstant) -> [Step] {
    trigger.isActive ? trigger.take(newest, at: now) : []
  }

  /// Detection stops: an ongoing event ends with what was known last.
  public mutating func finish() -> [Step] { trigger.finish() }

  private func isBeyond(_ distance: Double) -> Bool { (fence.occasion == .leave) == (distance > 0) }

  private mutating func take(_ change: SideOfBorder.Change, at time: MonotonicInstant) -> [Step] {
    guard isEvent(change) else { return trigger.finish() }
    let begun = trigger.take(newest, at: change.since) + trigger.take(newest, at: time)
    return fence.occasion == .both ? begun + trigger.finish() : begun
  }

  private func isEvent(_ change: SideOfBorder.Change) -> Bool {
    switch fence.occasion {
    case .enter: change.to == .inside
    case .leave: change.to == .outside
    case .both: change.from != nil
    }
  }
}
