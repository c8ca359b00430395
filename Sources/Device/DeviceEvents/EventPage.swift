public import Signalling

extension EventPage {
  /// Events of a page.
  static let size = 100
  /// How many more events of the same millisecond as the last one a page includes, for callers that continue before
  /// that time alone: more than there are sources.
  static let maxAtOnce = 32

  /// Takes `size` of the events, and up to `maxAtOnce` that began in the same millisecond as the last of them.
  init(_ events: [DetectedEvent], size: Int = Self.size, maxAtOnce: Int = Self.maxAtOnce) {
    let first = events.prefix(size)
    let items = Array(first) + events.dropFirst(size).prefix(maxAtOnce).prefix { $0.start == first.last?.start }
    let hasMore = items.count < events.count
    self.init(hasMore: hasMore, items: items, next: hasMore ? items.last.flatMap { Self.cursor($0) } : nil)
  }

  private static func cursor(_ event: DetectedEvent) -> String? {
    DetectedEventID(event.id).flatMap { EventCursor(start: event.start, id: $0) }?.text
  }
}

extension EventCenter {
  /// The newest events that began in a span; with a cursor, of those that stand behind it.
  public func page(in span: TimelineSpan, after cursor: EventCursor? = nil) async -> EventPage {
    let end = EventPosition(start: span.end)
    let before = cursor.map { min(EventPosition($0), end) } ?? end
    // One more shows whether there are older ones.
    return EventPage(
      await events(since: span.start, before: before, limit: EventPage.size + EventPage.maxAtOnce + 1))
  }
}
