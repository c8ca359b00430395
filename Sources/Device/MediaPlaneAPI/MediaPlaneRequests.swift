public import MediaCore
public import Signalling

/// What the media plane needs to begin a session: to answer a call, or to place one.
public struct PeerSessionRequest: Sendable {
  public var sessionID: SessionID
  /// The caller's SDP; nil for a call that this device places.
  public var offer: String?
  /// What the device sends.
  public var publish: Set<MediaKind>
  /// What the device takes, in this description and in all that follow in the session.
  public var subscribe: Set<MediaKind>
  /// Whether the other side's sound is played.
  public var mayTalk: Bool
  /// The other side's sound is not played while too many others' is; a
  /// ``MediaPlaneEvent/notHeard(sessionID:talkers:)`` reports it.
  public var maxTalkers: Int
  /// Whether a tone announces near the device that a party listens.
  public var playsTone: Bool
  /// Those of an answer, or of an offer that ``isWhole``.
  public var iceServers: [ICEServer]
  /// What of the device's video is sent.
  public var view = DeviceView.main
  /// Whether the offer names all candidates: the other side is a server to which the device publishes (RFC 9725).
  public var isWhole = false

  public init(
    sessionID: SessionID, offer: String?, publish: Set<MediaKind>, subscribe: Set<MediaKind> = [.audio, .video],
    mayTalk: Bool, maxTalkers: Int = .max, playsTone: Bool = false, iceServers: [ICEServer] = []
  ) {
    self.sessionID = sessionID
    self.offer = offer
    self.publish = publish
    self.subscribe = subscribe
    self.mayTalk = mayTalk
    self.maxTalkers = maxTalkers
    self.playsTone = playsTone
    self.iceServers = iceServers
  }
}

/// Why an archive was stopped, in OpenTok's terms.
public enum ArchiveStopReason: String, Sendable, Hashable {
  case userInitiated = "user initiated"
  case sessionEnded = "session ended"
  /// The next archive of the recording plans has begun.
  case continued
  /// No recording plan wants it any more.
  case planEnded = "plan ended"
}

/// How much of what came before an archive's start is part of it, where a pre-roll keeps that.
public enum PreRollExtent: Sendable, Hashable {
  /// As the configuration says for all archives.
  case configured
  case none
  /// What was captured from then on, as far as it is kept.
  case since(MonotonicInstant)
}

/// What an archive's manifest says about the call.
public struct ArchiveDescription: Sendable, Equatable {
  public var sessionID: SessionID?
  public var callerID: String
  public var callerTitle: String
  /// Whom the device called; nil when the call came in.
  public var receiverID: String?
  /// The policy rule that ordered the archive, or `nil` when it was started manually.
  public var policyRule: String?
  public var hasAudio: Bool
  public var hasVideo: Bool
  /// The recording plans for which the device alone is recorded.
  public var plans: [String] = []
  public var preRoll = PreRollExtent.configured
  /// Whether the lowest temporal layer is enough.
  public var isThinned = false
  /// The interval between frames, without sound and pre-roll; nil for all of them.
  public var timeLapse: TimeSpan?
  /// How long a file may be before the next begins; nil as the configuration says for all archives.
  public var segment: TimeSpan?

  public init(
    sessionID: SessionID?, callerID: String, callerTitle: String, receiverID: String? = nil, policyRule: String? = nil,
    hasAudio: Bool = true, hasVideo: Bool = true
  ) {
    self.sessionID = sessionID
    self.callerID = callerID
    self.callerTitle = callerTitle
    self.receiverID = receiverID
    self.policyRule = policyRule
    self.hasAudio = hasAudio
    self.hasVideo = hasVideo
  }
}
