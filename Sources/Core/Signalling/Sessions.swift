/// One entry of an `RTCConfiguration`'s `iceServers`: some URLs that share one user name and password.
public struct ICEServer: Codable, Sendable, Hashable {
  public var urls: [String]
  public var username: String?
  /// Secret.
  public var credential: String?

  public init(urls: [String], username: String? = nil, credential: String? = nil) {
    self.urls = urls
    self.username = username
    self.credential = credential
  }
}

extension ICEServer: CustomStringConvertible {
  /// Only the URLs, so that no log shows the password.
  public var description: String { urls.joined(separator: " ") }
}

// Embedded Swift has no reflection.
#if !hasFeature(Embedded)
  extension ICEServer: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["urls": urls]) }
  }
#endif

/// What a token lets its bearer do in one session.
public enum SessionRole: String, Codable, Sendable, CaseIterable {
  case subscriber
  case publisher
  case moderator
}

/// `PUT /v1/sessions/{id}`.
public struct SessionRequest: Codable, Sendable {
  public var receiverID: String
  public var isAudio: Bool
  public var isVideo: Bool
  /// The caller's SDP.
  public var offer: String

  public init(receiverID: String, isAudio: Bool, isVideo: Bool, offer: String) {
    self.receiverID = receiverID
    self.isAudio = isAudio
    self.isVideo = isVideo
    self.offer = offer
  }
}

/// The hub's answer to a session's caller; exactly one token is present.
public struct SessionGrant: Codable, Sendable {
  public var sessionID: SessionID
  public var publisherToken: String?
  public var subscriberToken: String?
  public var iceServers: [ICEServer]

  public init(sessionID: SessionID, publisherToken: String?, subscriberToken: String?, iceServers: [ICEServer]) {
    self.sessionID = sessionID
    self.publisherToken = publisherToken
    self.subscriberToken = subscriberToken
    self.iceServers = iceServers
  }
}

/// `POST …/answer` and `…/offer`.
public struct SessionDescription: Codable, Sendable {
  public var sdp: String
  /// In an answer: which offer it is to. 0 is the one that placed the call, others are named by `call.offer`. Without it
  /// an answer counts as one to the newest offer, which it may not be when offers follow each other quickly.
  public var offerNumber: Int?

  public init(sdp: String, offerNumber: Int? = nil) {
    self.sdp = sdp
    self.offerNumber = offerNumber
  }
}

/// `POST …/reject` and the optional body of `DELETE /v1/sessions/{id}`.
public struct SessionEnding: Codable, Sendable {
  /// One of ``RejectReason`` or ``EndReason``, or a later one.
  public var reason: String

  public init(reason: String) { self.reason = reason }
}

/// Why a receiver rejects.
public enum RejectReason: String, Codable, Sendable, CaseIterable {
  case declined
  /// It rang, and the receiver did not react.
  case unanswered
  case busy
  case notAllowed = "not-allowed"
  case outsideHours = "outside-hours"
  case rateLimited = "rate-limited"
  /// The offer cannot be answered (no common codec, broken SDP).
  case notAcceptable = "not-acceptable"
  /// The other side's session token is missing or not to be believed.
  case notVerified = "not-verified"
}

/// Why a session ended.
public enum EndReason: String, Codable, Sendable, CaseIterable {
  case hangup
  case rejected
  /// No answer within 60 s.
  case unanswered
  /// The other party's event stream or presence is gone.
  case vanished
  /// No client of the receiver is there, and no push message to one was taken.
  case unreachable
  /// Media could not be connected, or was lost.
  case connectionLost = "connection-lost"
  case maxDuration = "max-duration"
  /// Both called each other; the lower user id's call continues.
  case glare
  /// Another one who was called at the same time, or another client of the same account, has answered.
  case answeredElsewhere = "answered-elsewhere"
  /// The device's daemon stops.
  case shutdown
  case error
}

/// `POST …/candidates` and the event of the same content.
public struct SessionCandidates: Codable, Sendable {
  public struct Candidate: Codable, Sendable {
    /// The `candidate:` attribute; empty at the end of candidates.
    public var candidate: String
    public var sdpMid: String?
    public var sdpMLineIndex: Int?

    public init(candidate: String, sdpMid: String?, sdpMLineIndex: Int?) {
      self.candidate = candidate
      self.sdpMid = sdpMid
      self.sdpMLineIndex = sdpMLineIndex
    }
  }

  public var candidates: [Candidate]

  public init(candidates: [Candidate]) { self.candidates = candidates }
}

/// `POST …/signal`; text chat has the type `chat`.
public struct SessionSignal: Codable, Sendable {
  /// At most 128 bytes.
  public var type: String
  /// At most 8 KiB.
  public var data: String

  public init(type: String, data: String) {
    self.type = type
    self.data = data
  }
}

/// `POST …/control`: asks the device for something; it checks role and policy.
public struct SessionControl: Codable, Sendable {
  /// `mute`, `unmute`, `swap-camera`, `choose-camera`, `start-archive`, `stop-archive`.
  public var action: String
  /// For `mute` and `unmute`: `microphone`, `speaker` or `camera`; for `choose-camera` one of those that ``CameraOffer`` names.
  public var target: String?

  public init(action: String, target: String? = nil) {
    self.action = action
    self.target = target
  }
}
