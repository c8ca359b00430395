/// What has happened since the hub started, for `/metrics`.
public struct HubCounters: Sendable {
  public var presenceUpdates = 0
  public var presenceRefused = 0
  public var nearbyQueries = 0
  public var callsPlaced = 0
  public var callsRefused = 0
  public var eventsPublished = 0
  public var streamsOpened = 0
  public var streamsOverrun = 0
  public var archiveTransfers = 0
  public var archiveTimeouts = 0
  /// Changes of sessions that this node delivered although another had made them, or repeatedly.
  public var outboxRetries = 0

  public init() {}
}

/// How things stand now, for `/metrics`.
public struct HubGauges: Sendable {
  public let presences: Int
  public let eventStreams: Int
  /// Nil where no node knows all.
  public let liveSessions: Int?
  public let archiveTransfers: Int

  public init(presences: Int, eventStreams: Int, liveSessions: Int?, archiveTransfers: Int) {
    self.presences = presences
    self.eventStreams = eventStreams
    self.liveSessions = liveSessions
    self.archiveTransfers = archiveTransfers
  }
}
