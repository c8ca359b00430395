public import ControlMessages
public import Signalling

/// A part of a list of events, the newest first.
///
/// Pages share no millisecond: what comes before is asked for with the end at the start of the last item.
public struct EventPage: Encodable, Sendable, Hashable {
  /// Events of a page.
  static let size = 100
  /// More than there are sources, each of which has one event at a time: so many may begin in one millisecond.
  static let mostAtOnce = 32

  /// Whether there are older ones in the span.
  public var hasMore: Bool
  public var items: [EventRecord]

  /// Takes `size` of the records, and those that began in the same millisecond as the last of them.
  init(_ records: [EventRecord], size: Int = Self.size) {
    let first = records.prefix(size)
    items = Array(first) + records.dropFirst(size).prefix { $0.start == first.last?.start }
    hasMore = items.count < records.count
  }
}

extension EventCenter {
  /// The newest events that began in a span.
  public func page(in span: TimelineSpan) async -> EventPage {
    EventPage(await records(since: span.start, before: span.end, limit: EventPage.size + EventPage.mostAtOnce))
  }
}
