/// One of the two ends of a session.
public enum HistoryParty: String, Codable, Sendable {
  case caller
  case receiver
}

/// A request about a session, as the client saw it. Times are microseconds of one clock that all clients of a run share.
public struct SessionOperation: Codable, Sendable {
  public enum Action: String, Codable, Sendable {
    case place, ring, answer, reject, hangUp
    /// A message to the other party, which shows whether the session is alive.
    case probe
  }

  public enum Outcome: String, Codable, Sendable {
    case done
    /// Refused, since the session has ended (410).
    case ended
    /// Refused, since there is no such session (404).
    case unknownSession
    /// Refused in this state (409).
    case wrongState
    /// Refused, since another client of the receiver has answered (409).
    case answeredElsewhere
    /// Refused for a reason that has nothing to do with the session's state: it had no effect.
    case refused
    /// No answer, or one that leaves it open (503): it may take effect at any later time, or never.
    case unknown
  }

  public var party: HistoryParty
  public var action: Action
  /// Identifies an answer.
  public var mark: String?
  public var invokedAt: Int64
  /// Nil when no answer came.
  public var completedAt: Int64?
  public var outcome: Outcome

  public init(
    _ action: Action, by party: HistoryParty, mark: String? = nil, invokedAt: Int64, completedAt: Int64?,
    outcome: Outcome
  ) {
    (self.party, self.action, self.mark) = (party, action, mark)
    (self.invokedAt, self.completedAt, self.outcome) = (invokedAt, completedAt, outcome)
  }
}

/// What a party received on one of its event streams.
public struct ReceivedEvent: Codable, Sendable {
  public enum Name: String, Codable, Sendable {
    case incoming = "call.incoming"
    case ringing = "call.ringing"
    case answered = "call.answered"
    case rejected = "call.rejected"
    case ended = "call.ended"
    case taken = "call.taken"
    /// The stream has lost events and said so.
    case reset
  }

  public var party: HistoryParty
  /// Each client of a party has its own stream.
  public var client: Int
  public var name: Name
  /// The answer's mark, or the reason.
  public var word: String?
  public var receivedAt: Int64

  public init(_ name: Name, by party: HistoryParty, client: Int = 0, word: String? = nil, receivedAt: Int64) {
    (self.party, self.client, self.name, self.word, self.receivedAt) = (party, client, name, word, receivedAt)
  }
}

/// A fault that explains what would be wrong without it.
public struct Disturbance: Codable, Sendable {
  public enum Kind: String, Codable, Sendable {
    /// A party may have been without an event stream, so that its sessions end.
    case partyGone
    /// What Redis held is gone.
    case contentsLost
    /// The last writes to Redis are gone, as after a failover to a replica that lacked it.
    case writesLost
  }

  public var kind: Kind
  /// From when on its effect is possible.
  public var from: Int64

  public init(_ kind: Kind, from: Int64) { (self.kind, self.from) = (kind, from) }
}

/// Everything that is known of one session.
public struct SessionHistory: Codable, Sendable {
  public var id: String
  public var operations: [SessionOperation]
  public var received: [ReceivedEvent]
  public var disturbances: [Disturbance]

  public init(
    id: String, operations: [SessionOperation] = [], received: [ReceivedEvent] = [], disturbances: [Disturbance] = []
  ) {
    (self.id, self.operations, self.received, self.disturbances) = (id, operations, received, disturbances)
  }
}

/// The times by which sessions end and are forgotten, in microseconds.
public struct HistoryRules: Codable, Sendable {
  public var unansweredTimeout: Int64
  /// How long an ended session is remembered.
  public var endedMemory: Int64
  /// How much earlier than that something may happen: clocks are compared with some error.
  public var tolerance: Int64

  public init(unansweredTimeout: Int64, endedMemory: Int64, tolerance: Int64 = 50_000) {
    (self.unansweredTimeout, self.endedMemory, self.tolerance) = (unansweredTimeout, endedMemory, tolerance)
  }
}
