/// Bounds that keep one user, or all together, from exhausting the hub.
public struct HubLimits: Sendable {
  /// How long events are kept for a client that reconnects, and a session for a party without event stream.
  public var resumeWindow: Duration = .seconds(60)
  /// How long what a user announced is kept without an event stream; while one is open it stays.
  public var presenceLifetime: Duration = .seconds(60)
  /// How often clients are asked to repeat their state; up to a quarter sooner or later.
  public var heartbeatInterval: Duration = .seconds(240)
  /// How long a user stays callable without an event stream, so that a reconnect does not flicker.
  public var reachabilityGrace: Duration = .seconds(5)
  public var unansweredTimeout: Duration = .seconds(60)
  /// How long an ended session is remembered, so that late requests get an honest answer.
  public var endedSessionMemory: Duration = .seconds(60)
  /// A heartbeat may have crossed a session's beginning: younger ones are not forgotten.
  public var reconciliationGrace: Duration = .seconds(10)
  public var eventsPerUser = 512
  public var eventBytesPerUser = 2 << 20
  /// Of presence the newest of each announced user; further users push out the oldest, and nothing else.
  public var presenceEventsPerUser = 1_024
  public var presenceEventBytesPerUser = 512 << 10
  public var streamsPerUser = 8
  public var sessionsPerUser = 64
  /// Unanswered calls of one caller, to all receivers.
  public var unansweredCallsPerCaller = 4
  public var callsPerMinute = 30
  /// Of one viewer by WHEP, such as a link, which a wall of screens has in common.
  public var viewsPerMinute = 60
  public var unansweredViewsPerViewer = 32
  /// Requests of one viewer that wait for a device.
  public var streamsPerViewer = 32
  /// How long a request waits for a device's answer to a viewer.
  public var viewAnswerTimeout: Duration = .seconds(10)
  /// A minute: requests for views from one address, with whatever token.
  public var viewRequestsPerAddress = 240
  /// Candidates, signals, controls and the like, from one user.
  public var messagesPerMinute = 1_200
  /// Wrong passwords a minute from one address, or from one known client.
  public var loginFailuresPerAddress = 20
  /// Wrong passwords a minute under one title, from all who are no known clients.
  public var loginFailuresPerTitle = 60
  /// Passwords that wait to be checked, of known clients and of addresses with wrong ones each.
  public var passwordQueueLength = 32
  public var passwordQueuePerOrigin = 8
  /// Passwords that wait to be checked, one of each address without a wrong one.
  public var cleanPasswordQueueLength = 256
  public var passwordQueueTimeout: Duration = .seconds(15)
  /// How long a wrong password puts an address behind those without.
  public var loginFailureMemory: Duration = .seconds(600)
  /// Renewals by one user, and anonymous logins from one address.
  public var tokensPerMinute = 20
  /// Logins of one device, or of one person with the right password, and event streams that one user opens.
  public var arrivalsPerMinute = 120
  /// Requests for events of one user whose clients poll; each may be answered at once while events arrive.
  public var eventPollsPerMinute = 600
  public var archiveRequestsPerMinute = 600
  public var archiveTransfersPerUser = 8
  public var archiveStartTimeout: Duration = .seconds(15)
  public var archiveMaximumBytes: Int64 = 4 << 30
  /// Snapshots that one user requests, and lists of cameras; a device makes one of each of four cameras every two
  /// seconds for all.
  public var snapshotRequestsPerMinute = 120
  public var snapshotMaximumBytes: Int64 = 8 << 20
  /// Pages of devices' events, and of when they recorded, that one user asks for.
  public var timelineRequestsPerMinute = 90
  public var timelineMaximumBytes: Int64 = 1 << 20
  public var eventImageRequestsPerMinute = 240
  /// Whether a device records, and that it is to.
  public var recordingRequestsPerMinute = 30
  /// From one user, all its clients together: a device needs 3 (of earlier versions) and what its changes take.
  public var presenceUpdatesPerMinute = 120
  /// Lists of who is nearby, for one user: each scans everyone online.
  public var nearbyQueriesPerMinute = 300
  /// The minimum time between reports of one user's changes to others; the last always goes out.
  public var presenceAnnouncementInterval: Duration = .seconds(1)
  /// With more listeners than this, presence is asked for, not pushed.
  public var presenceListeners = 256
  public var candidatesPerMessage = 64
  /// What one device may have the hub send to its webhooks.
  public var deviceEventsPerMinute = 60
  /// Of one user; each has a name looked up.
  public var pushSubscriptionsPerMinute = 20
  /// Events that one device has pushed, each to several people.
  public var eventPushesPerMinute = 30
  /// Events that one person's browsers are sent, of all devices.
  public var eventPushesPerPersonPerMinute = 60

  public init() {}

  public func streams(of principal: Principal) -> Int { principal.role == .viewer ? streamsPerViewer : streamsPerUser }

  public func unansweredCalls(of principal: Principal) -> Int {
    principal.role == .viewer ? unansweredViewsPerViewer : unansweredCallsPerCaller
  }
}
