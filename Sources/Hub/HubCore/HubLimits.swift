/// Bounds that keep one user, or all together, from exhausting the hub.
public struct HubLimits: Sendable {
  /// How long events are kept for a client that reconnects, and a session for a party without event stream.
  public var resumeWindow: Duration = .seconds(60)
  public var presenceLifetime: Duration = .seconds(60)
  /// How long a user stays callable without an event stream, so that a reconnect does not flicker.
  public var reachabilityGrace: Duration = .seconds(5)
  public var unansweredTimeout: Duration = .seconds(60)
  /// How long an ended session is remembered, so that late requests get an honest answer.
  public var endedSessionMemory: Duration = .seconds(60)
  /// A heartbeat may have crossed a session's beginning: younger ones are not forgotten.
  public var reconciliationGrace: Duration = .seconds(10)
  public var eventsPerUser = 512
  public var eventBytesPerUser = 2 << 20
  public var streamsPerUser = 8
  public var sessionsPerUser = 64
  public var callsPerMinute = 30
  /// Candidates, signals, controls and the like, from one user.
  public var messagesPerMinute = 1_200
  /// From one address, and under one title.
  public var loginsPerMinute = 20
  public var archiveRequestsPerMinute = 120
  public var archiveTransfersPerUser = 4
  public var archiveStartTimeout: Duration = .seconds(15)
  public var archiveIdleTimeout: Duration = .seconds(30)
  public var archiveMaximumBytes: Int64 = 4 << 30
  /// With more listeners than this, presence is asked for, not pushed.
  public var presenceListeners = 256
  public var candidatesPerMessage = 64

  public init() {}
}
