public import MediaCore

/// Takes what a session sends to the network.
///
/// The bytes are valid only during the call.
public protocol DatagramSink: AnyObject {
  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress)

  /// Sends to a TURN server over a connection of the session's: a datagram, or the next octets of a stream.
  func send(_ octets: RawSpan, over link: TURNConnectionID)
}

/// Takes what a session receives.
///
/// The payload is valid only during the call.
public protocol ReceivedFrameSink: AnyObject {
  /// A whole frame, in the order of the stream, on this machine's timeline.
  func receive(_ header: EncodedFrameHeader, payload: RawSpan)

  /// An audio packet on arrival, in any order: for a jitter buffer, which waits for late ones itself.
  /// The packet comes again by ``receive(_:payload:)`` when it is its turn.
  func receiveSound(_ arrival: SoundArrival, payload: RawSpan)
}

extension ReceivedFrameSink {
  public func receiveSound(_ arrival: SoundArrival, payload: RawSpan) {}
}
