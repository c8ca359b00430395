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
  case signal
  case control
  case controlResult = "control.result"
  case presence
  case archiveStarted = "archive.started"
  case archiveStopped = "archive.stopped"
  case request
}

/// Names the stream; a heartbeat repeats the name so that the hub knows which stream is alive.
public struct HelloEvent: Codable, Sendable {
  public var eventStreamID: String
  /// Events were lost since `Last-Event-ID`: what was pending must be asked for anew.
  public var isReset: Bool

  public init(eventStreamID: String, isReset: Bool) {
    self.eventStreamID = eventStreamID
    self.isReset = isReset
  }
}

/// `call.incoming`, to the receiver.
public struct IncomingCallEvent: Codable, Sendable {
  public var sessionID: String
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
  public var iceServers: [ICEServer]

  public init(
    sessionID: String, callerID: String, callerTitle: String, callerRole: String, callerGroups: [String],
    distance: Double?, isAudio: Bool, isVideo: Bool, offer: String, token: String, iceServers: [ICEServer]
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
    self.iceServers = iceServers
  }
}

/// `call.ringing`.
public struct SessionEvent: Codable, Sendable {
  public var sessionID: String

  public init(sessionID: String) { self.sessionID = sessionID }
}

/// `call.answered` and `call.offer`.
public struct DescriptionEvent: Codable, Sendable {
  public var sessionID: String
  public var sdp: String

  public init(sessionID: String, sdp: String) {
    self.sessionID = sessionID
    self.sdp = sdp
  }
}

/// `call.rejected` and `call.ended`.
public struct SessionEndedEvent: Codable, Sendable {
  public var sessionID: String
  public var reason: String

  public init(sessionID: String, reason: String) {
    self.sessionID = sessionID
    self.reason = reason
  }
}

/// `call.candidates`.
public struct CandidatesEvent: Codable, Sendable {
  public var sessionID: String
  public var candidates: [SessionCandidates.Candidate]

  public init(sessionID: String, candidates: [SessionCandidates.Candidate]) {
    self.sessionID = sessionID
    self.candidates = candidates
  }
}

/// `signal`.
public struct SignalEvent: Codable, Sendable {
  public var sessionID: String
  /// The sender.
  public var userID: String
  public var type: String
  public var data: String

  public init(sessionID: String, userID: String, type: String, data: String) {
    self.sessionID = sessionID
    self.userID = userID
    self.type = type
    self.data = data
  }
}

/// `control`, to the device.
public struct ControlEvent: Codable, Sendable {
  public var sessionID: String
  public var userID: String
  /// The sender's role in the session.
  public var role: SessionRole
  public var action: String
  public var target: String?

  public init(sessionID: String, userID: String, role: SessionRole, action: String, target: String?) {
    self.sessionID = sessionID
    self.userID = userID
    self.role = role
    self.action = action
    self.target = target
  }
}

/// `archive.started` and `archive.stopped`, and the body of `POST …/archive` by which the device announces them.
public struct ArchiveEvent: Codable, Sendable {
  public var sessionID: String
  public var archiveID: String
  /// `started` or `stopped`, as OpenTok names them.
  public var status: String

  public init(sessionID: String, archiveID: String, status: String) {
    self.sessionID = sessionID
    self.archiveID = archiveID
    self.status = status
  }
}

/// `request`: the hub asks a device for an archive list, a manifest or a file.
///
/// The device answers with one `POST` of the content to `/v1/uploads/{uploadID}` (bearer token as usual):
/// `Content-Type` as fits, and the headers `X-Status` (200, 206, 404 or 416), `X-Content-Range` for 206.
public struct RequestEvent: Codable, Sendable {
  /// One-time, unguessable, bound to the device and to ``path``.
  public var uploadID: String
  /// `archives`, `archives/{archiveID}` or `archives/{archiveID}/{file}`.
  public var path: String
  /// The browser's `Range` header.
  public var range: String?
  /// The hub reads no more than this.
  public var maximumBytes: Int64

  public init(uploadID: String, path: String, range: String?, maximumBytes: Int64) {
    self.uploadID = uploadID
    self.path = path
    self.range = range
    self.maximumBytes = maximumBytes
  }
}
