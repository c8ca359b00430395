public import MediaCore

/// Sends packets of one stream again on its retransmission stream (RFC 4588 §4).
///
/// An RTX packet is the original with its own SSRC, payload type and sequence number; the original sequence number
/// (OSN) goes in front of the payload.
public struct RTXEncapsulation: Sendable {
  /// The source that its packets name.
  public let ssrc: SSRC
  /// 0 to 127, as the descriptions agree.
  public let payloadType: UInt8
  /// The number that the next retransmission gets.
  public private(set) var nextSequenceNumber: SequenceNumber

  /// - Parameter firstSequenceNumber: of the first packet; random, so that it cannot be guessed (RFC 3550 §5.1).
  public init(ssrc: SSRC, payloadType: UInt8, firstSequenceNumber: SequenceNumber) {
    self.ssrc = ssrc
    self.payloadType = payloadType
    nextSequenceNumber = firstSequenceNumber
  }

  /// Writes the RTX packet of a frame's packet to the front of `buffer` and returns its length.
  ///
  /// - Parameters:
  ///   - index: of the packet in its frame.
  ///   - frame: the octets, as many as the frame has.
  ///   - extensions: replace those of the original, whose sending time has passed.
  public mutating func wrap(
    _ index: Int, _ packets: VP8FramePackets, of frame: RawSpan, extensions: borrowing RTPHeaderExtensionBlock,
    into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int {
    let header = RTPHeader(
      marker: packets.isLast(index), payloadType: payloadType, sequenceNumber: nextSequenceNumber,
      timestamp: packets.timestamp, ssrc: ssrc)
    var writer = ByteWriter(overwriting: &buffer)
    try header.write(to: &writer, extensions: extensions)
    try writer.write(packets.firstSequenceNumber.advanced(by: index).rawValue)
    try packets.writePayload(index, of: frame, to: &writer)
    nextSequenceNumber = nextSequenceNumber.advanced(by: 1)
    return writer.count
  }

  /// Writes a packet that holds nothing but `byteCount` (1 to 255) octets of padding, to probe a path, and returns its
  /// length.
  ///
  /// - Parameter timestamp: of the stream's last packet.
  public mutating func padding(
    _ byteCount: Int, timestamp: UInt32, extensions: borrowing RTPHeaderExtensionBlock,
    into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int {
    let count = min(max(byteCount, 1), 255)
    let header = RTPHeader(
      payloadType: payloadType, sequenceNumber: nextSequenceNumber, timestamp: timestamp, ssrc: ssrc)
    var writer = ByteWriter(overwriting: &buffer)
    try header.write(to: &writer, extensions: extensions, isPadded: true)
    for _ in 1..<count { try writer.write(UInt8(0)) }
    try writer.write(UInt8(count))
    nextSequenceNumber = nextSequenceNumber.advanced(by: 1)
    return writer.count
  }
}
