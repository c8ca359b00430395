public import MediaCore
public import Signalling

/// What the media plane reports on its own account.
public enum MediaPlaneEvent: Sendable, Equatable {
  /// Candidates of this side, to be trickled to the caller; an empty one means the end of candidates.
  case localCandidates(sessionID: SessionID, candidates: [String])
  /// An offer within a running session (an ICE restart), to be signalled; ``MediaPlane/accept(answer:sessionID:)`` follows.
  case offerMade(sessionID: SessionID, sdp: String)
  /// Media flows: ICE and DTLS are done.
  case connected(sessionID: SessionID)
  /// What the session lacks of what both sides want, since media flows or from now on; empty when nothing is missing any
  /// more.
  case mediaMissing(sessionID: SessionID, [MissingMedia])
  /// No path to the other side was found for some seconds: why, and what helps. The search continues.
  case pathMissing(sessionID: SessionID, hidesAddresses: Bool, text: String)
  /// Malformed lines of the other side's offer that were left out; for a log.
  case linesSkipped(sessionID: SessionID, [String])
  /// The other side sends sound, but is not played at the device, since too many others talk there.
  case notHeard(sessionID: SessionID, talkers: Int)
  /// The other side was notified that it is not played, and is from now on, since another talker has left.
  case heard(sessionID: SessionID)
  /// The other side has pressed a key of its telephone; of these come 20 a second at most.
  case digitReceived(sessionID: SessionID, digit: DTMFDigit)
  /// The session is over and its resources are released.
  case ended(sessionID: SessionID, reason: MediaEndReason)
  /// An archive, of a session or of the device alone, stopped by itself; `reason` is text.
  case archiveStopped(archiveID: ArchiveID, sessionID: SessionID?, status: ArchiveStatus, reason: String = "")
  /// Another camera delivers, because a swap was asked for.
  case cameraSwapped(name: String)
  /// For logs and status displays: a camera came back, a card is full. Of unread ones, the oldest
  /// may be left out; all other events arrive.
  case notice(DeviceNotice)
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
