public import MediaCore
public import Signalling

/// Carries audio and video for the call engine: peer sessions, devices and archives.
///
/// The engine decides *whether* and *how long*; the media plane does it. Calls come from one actor, so that calls
/// about one session never overlap, but calls about different sessions may. Each returns within a few seconds, or
/// throws; a call about an unknown session or archive does nothing.
public protocol MediaPlane: Sendable {
  /// Makes the peer session of a call and returns the SDP answer, or the SDP offer of a call that this device places; opens
  /// devices on demand.
  func begin(_ request: PeerSessionRequest) async throws -> String

  /// Answers a renegotiation or an ICE restart within a session that ``begin(_:)`` made.
  func renegotiate(sessionID: SessionID, offer: String) async throws -> String

  /// Takes the peer's answer to an offer of this side, the first one or a later one.
  func accept(answer: String, sessionID: SessionID) async throws

  /// Names servers through which paths may be found; for calls that this device places, since the hub names them only
  /// once it knows the call.
  func addICEServers(_ servers: [ICEServer], sessionID: SessionID) async

  /// Adds trickled `candidate:` attributes; an empty one means the end of candidates.
  func addRemoteCandidates(_ candidates: [String], sessionID: SessionID) async

  /// Closes the session (DTLS close, RTCP BYE) and releases everything it held; no event follows.
  ///
  /// An archive of the session stays open until ``stopArchive(archiveID:reason:)``, which the engine calls next.
  func hangUp(sessionID: SessionID) async

  /// Mutes a device for all sessions and archives, or ends that.
  func setMuted(_ target: MuteTarget, _ isMuted: Bool) async

  /// Plays a sound of at most a minute on the loudspeaker, mixed with the parties, after others that wait.
  ///
  /// Returns when it is read or synthesized. Throws an error that names the file and says what is wrong.
  func announce(_ announcement: Announcement) async throws

  /// Plays a sound in a loop, for five minutes at most, in place of the one that rings; nil ends that at once.
  ///
  /// Throws as ``announce(_:)`` does.
  func setRing(_ sound: RingSound?) async throws

  /// Switches to the next camera; throws if there is no other. ``MediaPlaneEvent/cameraSwapped(name:)`` follows when it
  /// delivers.
  func swapCamera() async throws

  /// Shows one session something else of the device, from a key frame on; throws if there is no such camera, or it cannot be
  /// opened.
  func show(_ view: DeviceView, sessionID: SessionID) async throws

  /// Starts an archive and returns its id; throws if the disk does not permit it.
  ///
  /// Without a session, or with one that is unknown, the device alone is recorded: its own audio and video.
  func startArchive(_ description: ArchiveDescription) async throws -> ArchiveID

  /// Stops and finishes an archive; no ``MediaPlaneEvent/archiveStopped(archiveID:sessionID:status:reason:)`` follows.
  func stopArchive(archiveID: ArchiveID, reason: ArchiveStopReason) async

  /// Adds where the device is to the tracks of the archives that run.
  func notePosition(_ fix: PositionFix) async

  /// Asynchronous events; consumed once, by the engine.
  ///
  /// In order, and none is lost but unread notices; it ends when the media plane has been shut down.
  var events: AsyncStream<MediaPlaneEvent> { get }

  /// A snapshot for status displays.
  func status() async -> MediaPlaneStatus

  /// The figures, for those who watch how a device does over time.
  func telemetry() async -> MediaTelemetry
}

/// What can be muted.
public enum MuteTarget: String, Codable, Sendable, Hashable, CaseIterable {
  case microphone
  case speaker
  case camera
}
