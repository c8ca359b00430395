public import Signalling

/// The input of `EventList`.
public struct EventListParameters: VarlinkParameters {
  /// The largest ``limit``.
  public static let maxEvents = 10_000

  /// Milliseconds since 1970; all that is kept without it.
  public var since: Int64?
  /// 1000 without it.
  public var limit: Int?

  public init(since: Int64? = nil, limit: Int? = nil) {
    self.since = since
    self.limit = limit
  }
}

public struct EventListReply: Codable, Sendable {
  /// The newest first.
  public var events: [DetectedEvent]
  public init(events: [DetectedEvent]) { self.events = events }
}
