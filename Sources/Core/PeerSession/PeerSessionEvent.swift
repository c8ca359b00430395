public import ICE
public import MediaCore

/// What a session reports; the owner drains ``PeerSession/takeEvent()`` after each input.
public enum PeerSessionEvent: Sendable, Hashable {
  /// ICE and DTLS are done and media may flow.
  case connected
  /// The peer, or the encoder's own need after a loss, requests a key frame.
  case keyFrameRequested
  /// No path to the peer was found for some seconds; reported once. The search continues.
  case pathMissing(PathProblem)
  /// The permitted rate, all streams together, from delays, losses and the peer; reported when it has changed.
  case bitrateEstimated(Bitrate)
  /// How many percent of the sound's packets get lost; reported when it has changed.
  case soundLossReported(percent: Int)
  /// The peer has pressed a key of its telephone (RFC 4733).
  case digitReceived(DTMFDigit)
  /// A candidate of this side for the peer, as SDP's attribute value (`candidate:…`); an empty one means that there
  /// will be no more (RFC 8838 §13).
  case candidateGathered(String)
  /// A TURN server has given a relayed address.
  case relayAllocated(TURNConnectionID)
  /// Another relay has taken the place of this one, which was given back: its connection can be closed.
  case relayReplaced(TURNConnectionID)
  /// A TURN server gives no relayed address, or no longer does: its connection can be closed.
  case relayFailed(TURNConnectionID, TURNFailure)
  /// This side's addresses have changed or its path is lost: an offer that restarts ICE should be signalled.
  case restartNeeded
  /// The session is over; nothing more will be sent.
  case ended(PeerSessionEnd)
}

/// Why a session is over.
public enum PeerSessionEnd: Sendable, Hashable {
  /// The peer closed DTLS.
  case closedByPeer
  /// ``PeerSession/close(now:)`` was called.
  case closed
  /// No path to the peer was found.
  case iceFailed
  /// The peer has not consented for 30 s (RFC 7675): it or the path is gone.
  case consentExpired
  /// The DTLS handshake failed; `reason` names the cause.
  case dtlsFailed(reason: String)
}
