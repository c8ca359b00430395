/// Divides encoded VP8 frames into the RTP packets of one stream (RFC 7741).
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

  /// Gives the next numbers to the packets of a frame of `byteCount` octets. A frame without octets has no packets.
  public mutating func packetize(_ frame: Frame, byteCount: Int) -> VP8FramePackets {
    let descriptor = byteCount > 0 ? makeDescriptor(frame) : VP8PayloadDescriptor(startsPartition: true)
    let packets = VP8FramePackets(
      ssrc: ssrc, payloadType: payloadType, firstSequenceNumber: nextSequenceNumber, timestamp: frame.timestamp,
      descriptor: descriptor, byteCount: byteCount, capacity: maximumPayloadSize - descriptor.byteCount)
    nextSequenceNumber = nextSequenceNumber.advanced(by: packets.count)
    return packets
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
}
