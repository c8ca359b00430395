public import Signalling

/// Where the hub's askers learn from what the device has noticed, and when it recorded.
public protocol TimelineProviding: Sendable {
  /// The newest events that began in a span, as JSON: `{"hasMore":…,"items":[…],"next":…}`, the newest first; with a cursor,
  /// of those that stand behind it.
  ///
  /// Bounded. What comes before is asked for with `next` as the cursor.
  func events(in span: TimelineSpan, after cursor: EventCursor?) async throws -> [UInt8]
  /// The newest archives that show something of a span, as JSON: `{"hasMore":…,"items":[{"end":…,"id":…,"start":…}]}`, the
  /// newest first, times in milliseconds since 1970. Bounded.
  func recordings(in span: TimelineSpan) async throws -> [UInt8]
  /// The image of an event (JPEG); nil where none is kept, or one of more than `limit` bytes.
  func image(of id: DetectedEventID, limit: Int64) async -> [UInt8]?
}
