public import MediaCore
public import Signalling

/// An event with its beginning and end on the media timeline, which steps of the wall clock do not move.
public struct TimedEvent: Hashable, Sendable {
  public var event: DetectedEvent
  public let start: MonotonicInstant
  /// Nil while it is ongoing, as the event's own.
  public private(set) var end: MonotonicInstant?

  /// An event that begins.
  public init(_ event: DetectedEvent, start: MonotonicInstant) {
    self.event = event
    self.start = start
  }

  public var id: String { event.id }
  public var source: String { event.source }

  /// The event is over, no sooner than it began.
  public mutating func finish(at time: MonotonicInstant) {
    let end = max(time, start)
    self.end = end
    event.end = event.start.saturatingAdding((end - start).milliseconds)
  }
}
