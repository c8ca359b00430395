public import Signalling

/// What sources of events have noticed, as the control socket shows it.
///
/// Its problem is why events are not kept, or last were not.
public protocol EventCatalog: ProblemReporting {
  /// What began since a time in milliseconds since 1970, the newest first, at most `limit`.
  func events(since: Int64, limit: Int) async -> [DetectedEvent]
}

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
