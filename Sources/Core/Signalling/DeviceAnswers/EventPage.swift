/// What a device answers to `GET …/events`: a part of a list of events, the newest first.
public struct EventPage: Codable, Hashable, Sendable {
  /// Whether there are older ones in the span.
  public var hasMore: Bool
  public var items: [DetectedEvent]
  /// After which event the next page begins (``EventCursor``); nil where there is none.
  public var next: String?

  public init(hasMore: Bool, items: [DetectedEvent], next: String? = nil) {
    self.hasMore = hasMore
    self.items = items
    self.next = next
  }
}
