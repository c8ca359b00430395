public import MediaCore
public import PeerSession
public import SDP

/// A step in a session's life, which control must learn of.
public struct NetworkEvent: Sendable, Hashable {
  public enum Step: Sendable, Hashable {
    /// ICE and DTLS are done and media may flow.
    case connected
    /// See ``PeerSessionEvent/candidateGathered(_:)``.
    case candidateGathered(String)
    /// An offer that restarts ICE (``PeerSessionEvent/restartNeeded``), for the peer. Its candidates follow.
    case offerMade(sdp: String)
    /// See ``PeerSessionEvent/pathMissing(_:)``.
    case pathMissing(PathProblem)
    /// See ``PeerSessionEvent/digitReceived(_:)``.
    case digitReceived(DTMFDigit)
    /// The session is over; nothing follows.
    case ended(PeerSessionEnd)
  }

  public var session: SessionHandle
  public var event: Step

  public init(session: SessionHandle, event: Step) {
    self.session = session
    self.event = event
  }
}

/// The result of an offer or an answer.
public struct LocalDescription: Sendable {
  /// The offer or answer of this side, for the peer.
  public var sdp: String
  /// What this side sends, as far as it is agreed.
  public var sends: Set<MediaKind>
  /// What this side receives, as far as it is agreed: the peer may send it.
  public var receives: Set<MediaKind>
  /// What the peer's offer and this side want, and is not agreed; with the reason.
  public var missing: [RefusedMedia]
  /// Why lines of the peer's offer were left out.
  public var skippedLines: [String]
}

extension LocalDescription {
  init(of session: PeerSession) {
    self.init(
      sdp: session.localDescription, sends: session.sentKinds, receives: session.receivedKinds,
      missing: session.missingMedia, skippedLines: session.skippedLines.map { "\($0)" })
  }
}

/// Why the network loop refused a command.
public enum NetworkLoopError: Error, Sendable, CustomStringConvertible {
  /// The network thread does not take commands; the watchdog will end the daemon.
  case unresponsive
  case stopped
  case tooManySessions(limit: Int)
  case duplicateSession
  case unknownSession
  /// The session was over before its answer was complete.
  case ended
  /// Only relays may be used, and no TURN server is known.
  case noRelay
  case refused(reason: String)

  public var description: String {
    switch self {
    case .unresponsive: "the network thread does not respond"
    case .stopped: "the network thread has stopped"
    case .tooManySessions(let limit): "more than \(limit) sessions at once"
    case .duplicateSession: "a session of this id exists already"
    case .unknownSession: "there is no session of this id"
    case .ended: "the session has ended"
    case .noRelay: "calls go through relays alone (network.transport_policy), but the hub names no TURN server to use"
    case .refused(let reason): reason
    }
  }
}
