/// A call that is over, as the hub has kept it.
public struct CallEntry: Codable, Sendable, Equatable {
  /// What the call was placed for.
  public enum Media: String, Codable, Sendable, CaseIterable {
    case audio
    case video
    /// The caller receives and sends nothing.
    case watch
  }

  public enum Outcome: String, Codable, Sendable, CaseIterable {
    case answered
    case unanswered
    /// The receiver did not want it.
    case declined
    /// The receiver was in another call.
    case busy
    /// The caller hung up before an answer.
    case cancelled
    /// Another one who was called at the same time has answered.
    case answeredElsewhere = "answered-elsewhere"
    /// No client of the receiver was there, and no push message to one was taken.
    case unreachable
    /// An error, or a party was lost before an answer.
    case failed

    /// Whether the receiver is to be shown that it has missed the call.
    public var isMissed: Bool {
      switch self {
      case .unanswered, .busy, .cancelled, .unreachable, .failed: true
      case .answered, .declined, .answeredElsewhere: false
      }
    }
  }

  public var sessionID: SessionID
  public var caller: SessionParty
  public var receiver: SessionParty
  public var media: Media
  public var outcome: Outcome
  /// The code with which the call ended: one of ``EndReason``, or a device's own.
  public var reason: String
  /// Milliseconds since 1970, like the other times.
  public var startedAt: Int64
  /// When a client of the receiver said that it rings; nil if none has.
  public var ringingAt: Int64?
  public var answeredAt: Int64?
  public var endedAt: Int64
  /// Whether the device has announced a recording of the call.
  public var isRecorded: Bool
  /// Names the recording at the device; for those alone who may fetch it.
  public var archiveID: ArchiveID?

  public init(
    sessionID: SessionID, caller: SessionParty, receiver: SessionParty, media: Media, outcome: Outcome, reason: String,
    startedAt: Int64, ringingAt: Int64?, answeredAt: Int64?, endedAt: Int64, archiveID: ArchiveID?
  ) {
    (self.sessionID, self.caller, self.receiver, self.media) = (sessionID, caller, receiver, media)
    (self.outcome, self.reason) = (outcome, reason)
    (self.startedAt, self.ringingAt, self.answeredAt, self.endedAt) = (startedAt, ringingAt, answeredAt, endedAt)
    (isRecorded, self.archiveID) = (archiveID != nil, archiveID)
  }
}

/// One of the two ends of a call, with the title that it had then.
public struct SessionParty: Codable, Sendable, Equatable {
  public var userID: String
  public var userTitle: String
  public var kind: UserKind

  public init(userID: String, userTitle: String, kind: UserKind) {
    (self.userID, self.userTitle, self.kind) = (userID, userTitle, kind)
  }
}

/// The answer of `GET /v1/calls`.
public struct CallPage: Codable, Sendable {
  /// The newest first.
  public var calls: [CallEntry]
  /// For `before=` of the request for older ones; nil: there are none.
  public var next: String?
  /// Calls to this person that were missed since the person has last seen the list.
  public var missed: Int
  /// Seconds for which the hub keeps calls; 0: it keeps none.
  public var retention: Int64

  public init(calls: [CallEntry], next: String?, missed: Int, retention: Int64) {
    (self.calls, self.next, self.missed, self.retention) = (calls, next, missed, retention)
  }
}

/// `PUT /v1/calls/seen`: the person has seen the list up to a call.
public struct CallsSeen: Codable, Sendable {
  /// ``CallEntry/endedAt`` of the newest call that was shown.
  public var until: Int64

  public init(until: Int64) { self.until = until }
}

/// `call.history`, to a person: a call was kept, or another page of this person has shown the list.
public struct CallHistoryEvent: Codable, Sendable {
  /// As in ``CallPage/missed``.
  public var missed: Int
  /// The call that was kept.
  public var call: CallEntry?

  public init(missed: Int, call: CallEntry? = nil) { (self.missed, self.call) = (missed, call) }
}
