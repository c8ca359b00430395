/// The place in a list of events, the newest first, after which its next page begins: behind one event, also where others
/// began in the same millisecond.
///
/// Clients pass back the cursor of the previous page, and need not know its form.
public struct EventCursor: Sendable, Hashable {
  /// When the event began, in milliseconds since 1970.
  public let start: Int64
  public let id: DetectedEventID

  /// Returns nil for a time before 1970.
  public init?(start: Int64, id: DetectedEventID) {
    guard start >= 0 else { return nil }
    (self.start, self.id) = (start, id)
  }

  /// Reads what ``text`` writes; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let start = TimelineSpan.number(parts[0]), let id = DetectedEventID(String(parts[1])) else {
      return nil
    }
    (self.start, self.id) = (start, id)
  }

  /// Such as `1795550112000-20261124T195512Z-9f3c01ab`: safe in a path and a query.
  public var text: String { "\(start)-\(id)" }
}
