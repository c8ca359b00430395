public import MediaCore

/// Turns encoded VP8 frames into the RTP packets of one stream (RFC 7741).
///
/// Call ``begin(_:byteCount:)`` for a frame, then ``nextPacket(of:extensions:into:)`` until it returns nil. A frame's
/// packets have one length, only the last one, which carries the marker, may be shorter: the kernel sends such packets
/// as one (UDP_SEGMENT).
public struct VP8Packetizer: Sendable {
  /// A frame's properties besides its octets.
  public struct Frame: Sendable {
    /// On the 90 kHz RTP clock.
    public var timestamp: UInt32
    /// 0 to 3, 0 being the base layer.
    public var temporalLayer: UInt8
    /// The frame depends on the base layer only.
    public var isLayerSync: Bool
    /// No later frame refers to this one.
    public var isDiscardable: Bool

    /// A frame of the base layer, unless more is said.
    public init(timestamp: UInt32, temporalLayer: UInt8 = 0, isLayerSync: Bool = false, isDiscardable: Bool = false) {
      self.timestamp = timestamp
      self.temporalLayer = temporalLayer
      self.isLayerSync = isLayerSync
      self.isDiscardable = isDiscardable
    }
  }

  /// The source that its packets name.
  public let ssrc: SSRC
  /// 0 to 127, as the descriptions agree.
  public let payloadType: UInt8
  /// The maximum RTP payload in octets, descriptor included.
  public let maximumPayloadSize: Int
  /// The number that the next packet gets.
  public private(set) var nextSequenceNumber: SequenceNumber

  private let hasTemporalLayers: Bool
  private var nextPictureID: UInt16
  private var tl0PictureIndex: UInt8 = 0
  private var hasBaseLayer = false

  private var descriptor = VP8PayloadDescriptor(startsPartition: true)
  private var timestamp: UInt32 = 0
  private var sent = 0
  private var total = 0
  /// Octets of the frame in each packet but the last.
  private var share = 0

  /// - Parameters:
  ///   - maximumPayloadSize: at least 16; less is taken as 16.
  ///   - firstSequenceNumber: random, for a stream that has to be unpredictable (RFC 3550 §5.1).
  ///   - firstPictureID: random; the low 15 bits are used.
  ///   - hasTemporalLayers: writes TL0PICIDX and TID.
  public init(
    ssrc: SSRC, payloadType: UInt8, maximumPayloadSize: Int = 1_150,
    firstSequenceNumber: SequenceNumber,
    firstPictureID: UInt16, hasTemporalLayers: Bool = false
  ) {
    self.ssrc = ssrc
    self.payloadType = payloadType
    self.maximumPayloadSize = max(16, maximumPayloadSize)
    self.hasTemporalLayers = hasTemporalLayers
    nextSequenceNumber = firstSequenceNumber
    nextPictureID = firstPictureID & 0x7FFF
  }

  /// Starts a frame of `byteCount` octets and returns how many packets it takes.
  ///
  /// Discards the rest of the previous frame. A frame without octets yields no packets.
  @discardableResult
  public mutating func begin(_ frame: Frame, byteCount: Int) -> Int {
    timestamp = frame.timestamp
    sent = 0
    total = max(0, byteCount)
    guard total > 0 else { return 0 }
    descriptor = makeDescriptor(frame)
    let capacity = maximumPayloadSize - descriptor.byteCount
    let count = (total + capacity - 1) / capacity
    share = (total + count - 1) / count
    return (total + share - 1) / share
  }

  private mutating func makeDescriptor(_ frame: Frame) -> VP8PayloadDescriptor {
    defer { nextPictureID = (nextPictureID + 1) & 0x7FFF }
    var descriptor = VP8PayloadDescriptor(
      isNonReference: frame.isDiscardable, startsPartition: true, pictureID: nextPictureID)
    guard hasTemporalLayers else { return descriptor }
    if frame.temporalLayer == 0 {
      if hasBaseLayer { tl0PictureIndex &+= 1 }
      hasBaseLayer = true
    }
    descriptor.tl0PictureIndex = tl0PictureIndex
    descriptor.temporalLayer = min(frame.temporalLayer, 3)
    descriptor.isLayerSync = frame.isLayerSync
    return descriptor
  }

  /// Writes the next packet of the frame to the front of `buffer` and returns its length, or nil after the last.
  ///
  /// - Parameter frame: the same octets at each call, as many as were given to ``begin(_:byteCount:)``.
  /// - Throws: `InsufficientSpace` when the packet does not fit, or `frame` is too short; the packet can then be
  ///   asked for again.
  public mutating func nextPacket(
    of frame: RawSpan, extensions: borrowing RTPHeaderExtensionBlock,
    into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int? {
    guard sent < total else { return nil }
    guard frame.byteCount >= total else { throw InsufficientSpace() }
    let count = min(share, total - sent)
    let header = RTPHeader(
      marker: sent + count == total, payloadType: payloadType, sequenceNumber: nextSequenceNumber,
      timestamp: timestamp,
      ssrc: ssrc)
    var writer = ByteWriter(overwriting: &buffer)
    try header.write(to: &writer, extensions: extensions)
    try descriptor.write(to: &writer)
    try writer.write(frame.extracting(sent..<sent + count))
    sent += count
    descriptor.startsPartition = false
    nextSequenceNumber = nextSequenceNumber.advanced(by: 1)
    return writer.count
  }
}
