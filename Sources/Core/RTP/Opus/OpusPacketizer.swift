public import MediaCore

/// Turns Opus packets into the RTP packets of one stream, one for one (RFC 7587 §4.2).
public struct OpusPacketizer: Sendable {
  /// The source that its packets name.
  public let ssrc: SSRC
  /// 0 to 127, as the descriptions agree.
  public let payloadType: UInt8
  /// The number that the next packet gets.
  public private(set) var nextSequenceNumber: SequenceNumber

  /// - Parameter firstSequenceNumber: of the first packet; random, so that it cannot be guessed (RFC 3550 §5.1).
  public init(ssrc: SSRC, payloadType: UInt8, firstSequenceNumber: SequenceNumber) {
    self.ssrc = ssrc
    self.payloadType = payloadType
    nextSequenceNumber = firstSequenceNumber
  }

  /// Writes one packet to the front of `buffer` and returns its length.
  ///
  /// - Parameters:
  ///   - timestamp: on the 48 kHz RTP clock, independent of the coded bandwidth.
  ///   - isTalkspurtStart: sets the marker: the first packet after silence that was not sent.
  public mutating func packet(
    _ payload: RawSpan, timestamp: UInt32, isTalkspurtStart: Bool = false,
    extensions: borrowing RTPHeaderExtensionBlock, into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int {
    let header = RTPHeader(
      marker: isTalkspurtStart, payloadType: payloadType, sequenceNumber: nextSequenceNumber,
      timestamp: timestamp,
      ssrc: ssrc)
    var writer = ByteWriter(overwriting: &buffer)
    try header.write(to: &writer, extensions: extensions)
    try writer.write(payload)
    nextSequenceNumber = nextSequenceNumber.advanced(by: 1)
    return writer.count
  }
}
