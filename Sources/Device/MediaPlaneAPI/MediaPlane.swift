public import MediaCore
public import Signalling

/// What carries sound and pictures for the call engine: peer sessions, devices and archives.
///
/// The engine decides *whether* and *how long*; the media plane does it. Calls come from one actor, so that calls
/// about one session never overlap, but calls about different sessions may. Each returns within a few seconds, or
/// throws; a call about an unknown session or archive does nothing.
public protocol MediaPlane: Sendable {
  /// Makes the peer session for an offer and returns the SDP answer; opens devices on demand.
  func answer(_ request: AnswerRequest) async throws -> String

  /// Answers a renegotiation or an ICE restart within a session that ``answer(_:)`` made.
  func renegotiate(sessionID: String, offer: String) async throws -> String

  /// Makes the peer session of a call that this device places and returns its SDP offer; opens devices on demand.
  func offer(_ request: OfferRequest) async throws -> String

  /// Takes the peer's answer to an offer of this side, the first one or a later one.
  func accept(answer: String, sessionID: String) async throws

  /// Names servers through which paths may be found; for calls that this device places, since the hub names them only
  /// once it knows the call.
  func addICEServers(_ servers: [ICEServer], sessionID: String) async

  /// Adds trickled `candidate:` attributes; an empty one means the end of candidates.
  func addRemoteCandidates(_ candidates: [String], sessionID: String) async

  /// Closes the session (DTLS close, RTCP BYE) and releases everything it held; no event follows.
  ///
  /// An archive of the session stays open until ``stopArchive(archiveID:reason:)``, which the engine calls next.
  func hangUp(sessionID: String) async

  /// Mutes a device for all sessions and archives, or ends that.
  func setMuted(_ target: MuteTarget, _ isMuted: Bool) async

  /// Goes on with the next camera; throws if there is no other. ``MediaPlaneEvent/cameraSwapped(name:)`` follows when it
  /// delivers.
  func swapCamera() async throws

  /// Starts an archive of a session and returns its id; throws if the disk does not permit it.
  ///
  /// An unknown session, such as that of an empty id, is recorded as the device alone: its own sound and pictures.
  func startArchive(sessionID: String, description: ArchiveDescription) async throws -> String

  /// Stops and finishes an archive; no ``MediaPlaneEvent/archiveStopped(archiveID:sessionID:status:)`` follows.
  func stopArchive(archiveID: String, reason: ArchiveStopReason) async

  /// Adds where the device is to the tracks of the archives that run.
  func notePosition(_ fix: PositionFix) async

  /// What happens on its own account; consumed once, by the engine.
  ///
  /// The sequence is bounded by its maker; it ends when the media plane has been shut down.
  var events: AsyncStream<MediaPlaneEvent> { get }

  /// A snapshot for status displays.
  func status() async -> MediaPlaneStatus
}

/// What can be muted.
public enum MuteTarget: String, Sendable, Hashable, CaseIterable {
  case microphone
  case speaker
  case camera
}

/// What the media plane needs to answer a call.
public struct AnswerRequest: Sendable {
  public var sessionID: String
  /// The caller's SDP.
  public var offer: String
  /// What the device sends.
  public var publish: Set<MediaKind>
  /// What the device takes, in this answer and in all that follow in the session.
  public var subscribe: Set<MediaKind>
  /// Whether the caller's sound is played.
  public var mayTalk: Bool
  /// Whether a tone announces to people near the device that somebody listens.
  public var playsTone: Bool
  public var iceServers: [ICEServer]

  public init(
    sessionID: String, offer: String, publish: Set<MediaKind>, subscribe: Set<MediaKind> = [.audio, .video],
    mayTalk: Bool, playsTone: Bool = false,
    iceServers: [ICEServer] = []
  ) {
    self.sessionID = sessionID
    self.offer = offer
    self.publish = publish
    self.subscribe = subscribe
    self.mayTalk = mayTalk
    self.playsTone = playsTone
    self.iceServers = iceServers
  }
}

/// What the media plane needs to place a call.
public struct OfferRequest: Sendable {
  public var sessionID: String
  /// What the device sends.
  public var publish: Set<MediaKind>
  /// What the device would receive.
  public var subscribe: Set<MediaKind>
  /// Whether the other side's sound is played.
  public var mayTalk: Bool

  public init(sessionID: String, publish: Set<MediaKind>, subscribe: Set<MediaKind>, mayTalk: Bool) {
    self.sessionID = sessionID
    self.publish = publish
    self.subscribe = subscribe
    self.mayTalk = mayTalk
  }
}

/// Why an archive was stopped, in OpenTok's words.
public enum ArchiveStopReason: String, Sendable, Hashable {
  case userInitiated = "user initiated"
  case sessionEnded = "session ended"
  /// The next archive of continuous recording has begun.
  case continued
}

/// What an archive's manifest says about the call.
public struct ArchiveDescription: Sendable, Equatable {
  public var sessionID: String
  public var callerID: String
  public var callerTitle: String
  /// Whom the device called; nil when the call came in.
  public var receiverID: String?
  /// The policy rule that ordered the archive, or `nil` when somebody started it by hand.
  public var policyRule: String?
  public var hasAudio: Bool
  public var hasVideo: Bool

  public init(
    sessionID: String, callerID: String, callerTitle: String, receiverID: String? = nil, policyRule: String? = nil,
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

/// What the media plane reports on its own account.
public enum MediaPlaneEvent: Sendable, Equatable {
  /// Candidates of this side, to be trickled to the caller; an empty one means the end of candidates.
  case localCandidates(sessionID: String, candidates: [String])
  /// An offer within a running session (an ICE restart), to be signalled; ``MediaPlane/accept(answer:sessionID:)`` follows.
  case offerMade(sessionID: String, sdp: String)
  /// Media flows: ICE and DTLS are done.
  case connected(sessionID: String)
  /// The other side's offer gave these kinds a transport of their own, outside its BUNDLE group: they are not carried.
  case unbundled(sessionID: String, kinds: Set<MediaKind>)
  /// The session is over and its resources are released.
  case ended(sessionID: String, reason: MediaEndReason)
  /// An archive stopped by itself; `status` as OpenTok names it (`stopped`, `failed`), `reason` in words.
  case archiveStopped(archiveID: String, sessionID: String, status: String, reason: String = "")
  /// Another camera delivers, because a swap was asked for.
  case cameraSwapped(name: String)
  /// A line for status displays: a camera came back, a card is full. `isProblem` where something is not as it should
  /// be, and somebody may have to look after it.
  case sourceStatus(text: String, isProblem: Bool)
}

/// Why a session ended within the media plane.
public enum MediaEndReason: String, Sendable, Equatable {
  /// The other side closed properly.
  case closed
  /// Consent or DTLS was lost, or never came.
  case connectionLost = "connection-lost"
  /// Something broke on this side.
  case error
}

/// A snapshot of the media plane.
public struct MediaPlaneStatus: Sendable, Equatable {
  /// One capture or playback device.
  public struct Device: Sendable, Equatable {
    public var target: MuteTarget
    /// The configured name, for example `/dev/video0` or `test:bars`.
    public var name: String
    /// `idle`, `opening`, `streaming`, `stalled` …
    public var state: String
    public var isMuted: Bool
    /// What it delivers, for people: its format, size and rate; nil while it is closed.
    public var details: String?
    /// Pictures per second over the last seconds; of a camera that is open.
    public var frameRate: Double?
    /// Pictures that came damaged or were left out, since the start; of a camera.
    public var dropped: Int?
    /// Times that a sound card's buffer ran over or dry, since the start; of microphone and speaker.
    public var xruns: Int?
    /// Times that it failed and was opened anew, since the start; of camera and microphone.
    public var failures: Int?

    public init(target: MuteTarget, name: String, state: String, isMuted: Bool) {
      self.target = target
      self.name = name
      self.state = state
      self.isMuted = isMuted
    }
  }

  /// Counters of one session.
  public struct Session: Sendable, Equatable {
    public var sessionID: String
    public var isConnected: Bool
    /// Bits per second, as sent and received over the last seconds.
    public var sendBitrate: Int
    public var receiveBitrate: Int
    /// Milliseconds, when known.
    public var roundTripTime: Int?

    public init(
      sessionID: String, isConnected: Bool, sendBitrate: Int, receiveBitrate: Int, roundTripTime: Int? = nil
    ) {
      self.sessionID = sessionID
      self.isConnected = isConnected
      self.sendBitrate = sendBitrate
      self.receiveBitrate = receiveBitrate
      self.roundTripTime = roundTripTime
    }
  }

  /// An archive that runs.
  public struct Archive: Sendable, Equatable {
    public var archiveID: String
    /// Empty for one of the device alone.
    public var sessionID: String
    public var startedAt: MonotonicInstant
    /// What is on the disk by now, in bytes.
    public var size: UInt64
    /// Frames that the disk was too slow for.
    public var droppedFrames: Int

    public init(archiveID: String, sessionID: String, startedAt: MonotonicInstant, size: UInt64, droppedFrames: Int) {
      self.archiveID = archiveID
      self.sessionID = sessionID
      self.startedAt = startedAt
      self.size = size
      self.droppedFrames = droppedFrames
    }
  }

  public var devices: [Device]
  public var sessions: [Session]
  public var archives: [Archive]
  /// Where archives lie.
  public var archiveDirectory: String?
  /// Why they cannot be written there as they should, and what to do about it.
  public var archiveProblem: String?

  public init(devices: [Device] = [], sessions: [Session] = [], archives: [Archive] = []) {
    self.devices = devices
    self.sessions = sessions
    self.archives = archives
  }
}
