public import MediaCore

/// Takes what a session sends to the network.
///
/// The bytes are valid only during the call.
public protocol DatagramSink: AnyObject {
  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress)

  /// Sends to a TURN server over a connection of the session's: a datagram, or the next octets of a stream.
  func send(_ octets: RawSpan, over link: RelayLinkID)
}

/// Takes the frames that a session receives, whole and in order.
///
/// The payload is valid only during the call.
public protocol ReceivedFrameSink: AnyObject {
  func receive(_ header: EncodedFrameHeader, payload: RawSpan)
}
