public import MediaCore

extension PeerSession {
  /// Asks a STUN server, over each shared socket of its family, which address this side is seen under.
  public func askReflexiveAddress(of server: TransportAddress, now: MonotonicInstant) {}

  /// A connection to a TURN server is up: asks for an allocation there.
  public func openRelay(_ link: RelayLinkID, _ server: RelayServer, now: MonotonicInstant) {}

  /// Takes what came over a connection to a TURN server: a datagram, or the next octets of a stream. May be changed in
  /// place.
  public func receive(_ octets: inout MutableRawSpan, over link: RelayLinkID, now: MonotonicInstant) {}

  /// The connection to a TURN server is gone, or did not come up.
  public func closeRelay(_ link: RelayLinkID, now: MonotonicInstant) {}

  /// No more servers will be named: once those named have answered or been given up, gathering is complete.
  public func endServers(now: MonotonicInstant) {}
}
