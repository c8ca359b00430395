import MediaCore
public import Signalling

/// Where an event stands among all: by its beginning, and within a millisecond by its id.
public struct EventPosition: Comparable, Sendable {
  /// Milliseconds since 1970.
  public var start: Int64
  /// Empty for a position before all events of the millisecond.
  public var id: String

  public init(start: Int64, id: String = "") {
    (self.start, self.id) = (start, id)
  }

  public init(_ cursor: EventCursor) { self.init(start: cursor.start, id: cursor.id.text) }

  init(_ event: DetectedEvent) { self.init(start: event.start, id: event.id) }

  /// The first millisecond in which nothing before this position can have begun.
  var end: Int64 { id.isEmpty ? start : start.saturatingAdding(1) }

  public static func < (first: Self, second: Self) -> Bool { (first.start, first.id) < (second.start, second.id) }
}

extension [DetectedEvent] {
  /// Each at its place, the newest first.
  func newestFirst() -> Self { sorted { EventPosition($0) > EventPosition($1) } }
}
