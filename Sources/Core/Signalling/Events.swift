/// Names of the server-sent events on `GET /v1/events`; each has one payload type, as JSON in `data:`.
public enum EventName: String, Sendable, CaseIterable {
  /// First event of each stream: ``HelloEvent``.
  case hello
  case callIncoming = "call.incoming"
  case callRinging = "call.ringing"
  case callAnswered = "call.answered"
  case callRejected = "call.rejected"
  case callCandidates = "call.candidates"
  case callOffer = "call.offer"
  case callEnded = "call.ended"
  /// To the receiver of a call, all of whose clients read it: one of them has answered or turned the call away, so the
  /// others need not ring any longer. A client that has answered itself takes no notice.
  case callTaken = "call.taken"
  case signal
  case control
  case controlResult = "control.result"
  /// Only each user's newest update is queued, up to 1,024 users, and none is sent more than about once a second;
  /// after a ``hello`` the client fetches the list (`GET /v1/users`).
  case presence
  case archiveStarted = "archive.started"
  case archiveStopped = "archive.stopped"
  /// To people: their call history has changed.
  case callHistory = "call.history"
  case request
}

/// Names the stream; a heartbeat repeats the name so that the hub knows which stream is alive.
public struct HelloEvent: Codable, Sendable {
  public var eventStreamID: String
  /// Events other than presence were lost since `Last-Event-ID`: pending state must be fetched again. Those that
  /// the hub still has follow, and each unanswered call is reported once more.
  public var isReset: Bool
  /// Seconds between two heartbeats, which the client varies by a quarter. Absent where the hub is older, and takes a
  /// client for gone whose heartbeats are more than 60 s apart: every 20 s then.
  public var heartbeatInterval: Int?

  public init(eventStreamID: String, isReset: Bool, heartbeatInterval: Int? = nil) {
    self.eventStreamID = eventStreamID
    self.isReset = isReset
    self.heartbeatInterval = heartbeatInterval
  }
}

/// `call.incoming`, to the receiver.
public struct IncomingCallEvent: Codable, Sendable {
  public var sessionID: SessionID
  public var callerID: String
  public var callerTitle: String
  /// The caller's role as the hub authenticated it: `operator`, `user`, `device`, `anonymous`.
  public var callerRole: String
  public var callerGroups: [String]
  /// Metres between the parties, when both positions are known.
  public var distance: Double?
  public var isAudio: Bool
  public var isVideo: Bool
  public var offer: String
  /// The receiver's own session token.
  public var token: String
  /// The caller's session token, by which a device knows the caller's role; no use to another holder, since no
  /// request is made with it. Absent where the hub is older than the device.
  public var callerToken: String?
  public var iceServers: [ICEServer]

  public init(
    sessionID: SessionID, callerID: String, callerTitle: String, callerRole: String, callerGroups: [String],
    distance: Double?, isAudio: Bool, isVideo: Bool, offer: String, token: String,
    callerToken: String?, iceServers: [ICEServer]
  ) {
    self.sessionID = sessionID
    self.callerID = callerID
    self.callerTitle = callerTitle
    self.callerRole = callerRole
    self.callerGroups = callerGroups
    self.distance = distance
    self.isAudio = isAudio
    self.isVideo = isVideo
    self.offer = offer
    self.token = token
    self.callerToken = callerToken
    self.iceServers = iceServers
  }
}

/// `call.ringing`, maybe more than once.
public struct SessionEvent: Codable, Sendable {
  public var sessionID: SessionID
  /// The browsers that ring by push messages: those whose push services have taken one. Absent for none, and where the hub
  /// is older.
  public var phones: Int?
  /// To a device: what ``DescriptionEvent`` says of the receiver that answers, so that this one may be shown a preview
  /// and use actions while it rings. Absent where the hub is older.
  public var token: String?
  public var receiverRole: String?
  public var receiverGroups: [String]?

  public init(
    sessionID: SessionID, phones: Int? = nil, token: String? = nil, receiverRole: String? = nil,
    receiverGroups: [String]? = nil
  ) {
    self.sessionID = sessionID
    self.phones = phones
    self.token = token
    self.receiverRole = receiverRole
    self.receiverGroups = receiverGroups
  }
}

/// `call.taken`: the receiver's clients that still ring stop.
public struct CallTakenEvent: Codable, Sendable {
  public var sessionID: SessionID
  public var outcome: Outcome

  /// What the receiver's other client did.
  public enum Outcome: String, Codable, Sendable, CaseIterable {
    case answered
    case rejected
  }

  public init(sessionID: SessionID, outcome: Outcome) {
    self.sessionID = sessionID
    self.outcome = outcome
  }
}

/// `call.answered` and `call.offer`.
public struct DescriptionEvent: Codable, Sendable {
  public var sessionID: SessionID
  public var sdp: String
  /// In `call.offer`: which of the session's offers it is, for ``SessionDescription/offerNumber``. Absent where the hub is
  /// older.
  public var offerNumber: Int?
  /// In `call.answered` by the receiver: its session token, by which a device that called knows the receiver's role.
  public var token: String?
  /// In `call.answered` to a device by the receiver: what ``IncomingCallEvent`` says of a caller. Absent where the hub
  /// is older.
  public var receiverRole: String?
  public var receiverGroups: [String]?

  public init(
    sessionID: SessionID, sdp: String, offerNumber: Int? = nil, token: String? = nil, receiverRole: String? = nil,
    receiverGroups: [String]? = nil
  ) {
    self.sessionID = sessionID
    self.sdp = sdp
    self.offerNumber = offerNumber
    self.token = token
    self.receiverRole = receiverRole
    self.receiverGroups = receiverGroups
  }
}

/// `call.rejected` and `call.ended`.
public struct SessionEndedEvent: Codable, Sendable {
  public var sessionID: SessionID
  public var reason: String

  public init(sessionID: SessionID, reason: String) {
    self.sessionID = sessionID
    self.reason = reason
  }
}

/// `call.candidates`.
public struct CandidatesEvent: Codable, Sendable {
  public var sessionID: SessionID
  public var candidates: [SessionCandidates.Candidate]

  public init(sessionID: SessionID, candidates: [SessionCandidates.Candidate]) {
    self.sessionID = sessionID
    self.candidates = candidates
  }
}

/// `signal`.
public struct SignalEvent: Codable, Sendable {
  public var sessionID: SessionID
  /// The sender.
  public var userID: String
  public var type: String
  public var data: String

  public init(sessionID: SessionID, userID: String, type: String, data: String) {
    self.sessionID = sessionID
    self.userID = userID
    self.type = type
    self.data = data
  }
}

/// `control`, to the device.
public struct ControlEvent: Codable, Sendable {
  public var sessionID: SessionID
  public var userID: String
  /// The sender's role in the session according to the hub; a device relies on the sender's session token.
  public var role: SessionRole
  public var action: String
  public var target: String?

  public init(sessionID: SessionID, userID: String, role: SessionRole, action: String, target: String?) {
    self.sessionID = sessionID
    self.userID = userID
    self.role = role
    self.action = action
    self.target = target
  }
}

/// `archive.started` and `archive.stopped`, and the body of `POST …/archive` by which the device announces them.
public struct ArchiveAnnouncement: Codable, Sendable {
  public var sessionID: SessionID
  public var archiveID: ArchiveID
  /// `started` or `stopped`; the hub takes no other.
  public var status: ArchiveStatus

  public init(sessionID: SessionID, archiveID: ArchiveID, status: ArchiveStatus) {
    self.sessionID = sessionID
    self.archiveID = archiveID
    self.status = status
  }
}

/// `request`: the hub asks a device for an archive list, a manifest or a file, or for a snapshot of its camera.
///
/// The device answers with one `POST` of the content to `/v1/uploads/{uploadID}` (bearer token as usual):
/// `Content-Type` as fits, and the headers `X-Status` (200, 206, 403, 404, 409 or 416), `X-Content-Range` for 206. With 403 and 409
/// the content may be a sentence for the requester: UTF-8, ``RequestEvent/longestRefusal`` bytes at most.
public struct RequestEvent: Codable, Sendable {
  /// Bytes of why a device refuses.
  public static let longestRefusal = 512
  /// One-time, unguessable, bound to the device and to ``path``.
  public var uploadID: String
  /// `archives`, `archives/{archiveID}`, `archives/{archiveID}/{file}`, `cameras`, `snapshot`, `snapshot/{camera}`,
  /// `events/{span}`, `events/{span}/after/{cursor}`, `events/{id}/picture`, `recordings/{span}`, `recording`,
  /// `recording/start` or `recording/stop`.
  public var path: String
  /// The browser's `Range` header.
  public var range: String?
  /// The hub's read limit.
  public var maximumBytes: Int64
  /// Who asks; nil where that decides nothing, and from hubs of earlier versions.
  public var requester: ContentRequester?

  public init(uploadID: String, path: String, range: String?, maximumBytes: Int64) {
    self.uploadID = uploadID
    self.path = path
    self.range = range
    self.maximumBytes = maximumBytes
  }
}

/// Who asks a device for something, as the hub knows this one.
public struct ContentRequester: Codable, Sendable, Equatable {
  public var userID: String
  public var role: String
  public var groups: [String]
  /// A session token of this user whose session is the request's ``RequestEvent/uploadID``: the hub's signature.
  public var token: String

  public init(userID: String, role: String, groups: [String], token: String) {
    self.userID = userID
    self.role = role
    self.groups = groups
    self.token = token
  }
}
