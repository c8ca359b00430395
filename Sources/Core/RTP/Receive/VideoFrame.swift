import MediaCore

/// One decodable VP8 frame taken from a ``VideoFrameAssembler``.
public struct VideoFrame: Sendable, Hashable {
  /// On the 90 kHz RTP clock.
  public var timestamp: UInt32
  /// Refers to no frame before it (RFC 6386 §9.1).
  public var isKeyFrame: Bool
  /// 0 where the sender uses no temporal layers.
  public var temporalLayer: UInt8
  /// No other frame refers to this one.
  public var isDiscardable: Bool
  /// Frame size in pixels, that of the key frame before for other frames.
  public var width: UInt16
  /// See ``width``.
  public var height: UInt16
  /// Octets written to the caller's buffer.
  public var byteCount: Int
  /// The frame's first packet: older ones are of no more use.
  public var firstSequenceNumber: SequenceNumber
  /// Frames were lost right before this one.
  public var followsLoss: Bool
}

/// What became of a packet handed to a ``VideoFrameAssembler``.
public enum VideoPacketOutcome: Sendable, Hashable {
  case stored
  case duplicate
  /// Its frame has been delivered or given up.
  case late
  /// The payload is no VP8, or longer than a slot.
  case malformed
  /// The sequence number is far from the others; a second packet there restarts the stream.
  case outOfRange
}
