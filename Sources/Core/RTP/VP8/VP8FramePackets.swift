public import MediaCore

/// The packets of one VP8 frame in one stream: their numbers, and what each has before its octets of the frame.
///
/// The octets themselves are lent to each call, so that many streams can send one copy. The packets have one length, only
/// the last one, which carries the marker, may be shorter: the kernel sends such packets as one (UDP_SEGMENT).
public struct VP8FramePackets: Sendable {
  /// The number of the first packet.
  public let firstSequenceNumber: SequenceNumber
  /// How many packets there are.
  public let count: Int
  /// On the 90 kHz RTP clock.
  public let timestamp: UInt32
  private let ssrc: SSRC
  private let payloadType: UInt8
  private let descriptor: VP8PayloadDescriptor
  private let byteCount: Int32
  /// Octets of the frame in each packet but the last.
  private let share: Int32

  /// - Parameters:
  ///   - byteCount: octets of the frame, none if negative.
  ///   - capacity: the maximum of them in a packet; at least 1.
  init(
    ssrc: SSRC, payloadType: UInt8, firstSequenceNumber: SequenceNumber, timestamp: UInt32,
    descriptor: VP8PayloadDescriptor, byteCount: Int, capacity: Int
  ) {
    self.ssrc = ssrc
    self.payloadType = payloadType
    self.firstSequenceNumber = firstSequenceNumber
    self.timestamp = timestamp
    self.descriptor = descriptor
    let total = Int32(clamping: max(0, byteCount))
    let capacity = Int32(clamping: max(1, capacity))
    self.byteCount = total
    share = max(1, Self.quotient(total, max(1, Self.quotient(total, capacity))))
    count = Int(clamping: Self.quotient(total, share))
  }

  /// Rounded up.
  private static func quotient(_ dividend: Int32, _ divisor: Int32) -> Int32 {
    dividend / divisor + (dividend % divisor == 0 ? 0 : 1)
  }

  /// Which of the packets has this number, from 0; nil when none has.
  public func index(of number: SequenceNumber) -> Int? {
    let index = firstSequenceNumber.distance(to: number)
    return (0..<count).contains(index) ? index : nil
  }

  /// Octets of a packet's payload, descriptor included.
  public func payloadByteCount(_ index: Int) -> Int { descriptor.byteCount + range(index).count }

  /// Octets of all packets' payloads, descriptors included.
  public var payloadByteCount: Int { count * descriptor.byteCount + Int(clamping: byteCount) }

  private func range(_ index: Int) -> Range<Int> {
    let (start, total) = (index * Int(clamping: share), Int(clamping: byteCount))
    return min(start, total)..<min(start + Int(clamping: share), total)
  }

  /// Whether a packet ends the frame.
  func isLast(_ index: Int) -> Bool { index == count - 1 }

  /// Writes a packet to the front of `buffer` and returns its length.
  ///
  /// - Parameters:
  ///   - index: from 0 to ``count``, exclusively.
  ///   - frame: the octets, as many as the frame has.
  /// - Throws: `InsufficientSpace` when the packet does not fit, or `frame` is too short.
  public func write(
    _ index: Int, of frame: RawSpan, extensions: borrowing RTPHeaderExtensionBlock, into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int {
    let header = RTPHeader(
      marker: isLast(index), payloadType: payloadType, sequenceNumber: firstSequenceNumber.advanced(by: index),
      timestamp: timestamp, ssrc: ssrc)
    var writer = ByteWriter(overwriting: &buffer)
    try header.write(to: &writer, extensions: extensions)
    try writePayload(index, of: frame, to: &writer)
    return writer.count
  }

  /// Writes what follows a packet's header.
  func writePayload(_ index: Int, of frame: RawSpan, to writer: inout ByteWriter) throws(InsufficientSpace) {
    let range = range(index)
    guard range.upperBound <= frame.byteCount else { throw InsufficientSpace() }
    var descriptor = descriptor
    descriptor.startsPartition = index == 0
    try descriptor.write(to: &writer)
    try writer.write(frame.extracting(range))
  }
}
