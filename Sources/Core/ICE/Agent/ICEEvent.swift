public import MediaCore

/// The path that media takes.
public struct ICESelectedPair: Hashable, Sendable {
  /// Where datagrams leave and arrive locally: the base of one of our candidates.
  public var local: TransportAddress
  /// Where the peer is sent to.
  public var remote: TransportAddress

  /// A pair of addresses; neither is checked.
  public init(local: TransportAddress, remote: TransportAddress) {
    self.local = local
    self.remote = remote
  }
}

/// Why an agent gave up.
public enum ICEFailure: Hashable, Sendable {
  /// The peer sent no authentic datagram.
  case noAnswer
  /// The peer answered checks, but no pair was selected.
  case noNomination
  /// The path was lost and not found again.
  case connectionLost
}

/// What an ``ICEAgent`` reports.
public enum ICEEvent: Hashable, Sendable {
  /// A path exists, for the first time or again after ``disconnected``.
  case connected(ICESelectedPair)
  /// Media has to take another path from now on.
  case selectedPairChanged(ICESelectedPair)
  /// The selected path has been silent for some seconds, or answers nothing, and no other one took its place: a restart
  /// may find one. Reported once for each silence; media may recover by itself.
  case suspected
  /// The peer's consent ran out: nothing may be sent. The agent keeps searching for a path.
  case disconnected
  /// Final, unless the agent is restarted.
  case failed(ICEFailure)
}

/// A datagram to send.
public struct ICETransmit: Hashable, Sendable {
  /// Octets at the front of the buffer.
  public var count: Int
  /// The local address to send from.
  public var local: TransportAddress
  /// The address to send to.
  public var remote: TransportAddress
}

/// Why an agent needs to be woken.
public enum ICEDeadlineReason: Hashable, Sendable {
  case nextCheck
  case retransmission
  case nomination
  case consentCheck
  case consentExpiry
  case suspicion
  case connectTimeout
}
