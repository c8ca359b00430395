public import MediaCore

/// Why a VP8 payload was refused.
public enum VP8DescriptorError: Error, Hashable, Sendable {
  /// The payload ends within the descriptor, or right after it.
  case shortPayload
}

/// The descriptor at the front of each VP8 payload (RFC 7741 §4.2).
///
/// ```
///      0 1 2 3 4 5 6 7
///     |X|R|N|S|R| PID |
/// X:  |I|L|T|K| RSV   |
/// I:  |M| PictureID   |  one octet, or two when M is set
/// L:  |   TL0PICIDX   |
/// T/K:|TID|Y| KEYIDX  |
/// ```
public struct VP8PayloadDescriptor: Sendable, Hashable {
  /// N: no other frame refers to this one.
  public var isNonReference: Bool
  /// S: the payload begins a VP8 partition.
  public var startsPartition: Bool
  /// PID: 0 to 7; the frame begins where this is 0 and ``startsPartition`` is set.
  public var partitionIndex: UInt8
  /// I: 15 bits, or 7 where the sender uses the short form (then ``hasShortPictureID``).
  public var pictureID: UInt16?
  /// Whether ``pictureID`` has 7 bits.
  public var hasShortPictureID: Bool
  /// L: counts base-layer frames.
  public var tl0PictureIndex: UInt8?
  /// T: 0 to 3, 0 being the base layer.
  public var temporalLayer: UInt8?
  /// Y: the frame depends on the base layer only.
  public var isLayerSync: Bool
  /// K: 0 to 31, counts key frames.
  public var keyIndex: UInt8?

  /// Takes the values unchecked; nil ones are omitted from the descriptor.
  public init(
    isNonReference: Bool = false, startsPartition: Bool, partitionIndex: UInt8 = 0,
    pictureID: UInt16? = nil,
    hasShortPictureID: Bool = false, tl0PictureIndex: UInt8? = nil, temporalLayer: UInt8? = nil,
    isLayerSync: Bool = false, keyIndex: UInt8? = nil
  ) {
    self.isNonReference = isNonReference
    self.startsPartition = startsPartition
    self.partitionIndex = partitionIndex
    self.pictureID = pictureID
    self.hasShortPictureID = hasShortPictureID
    self.tl0PictureIndex = tl0PictureIndex
    self.temporalLayer = temporalLayer
    self.isLayerSync = isLayerSync
    self.keyIndex = keyIndex
  }

  /// Whether the payload begins a frame.
  public var startsFrame: Bool { startsPartition && partitionIndex == 0 }
}

extension VP8PayloadDescriptor {
  /// Parses the descriptor; the VP8 data follows at ``byteCount`` and has at least one octet.
  public init(parsing payload: RawSpan) throws(VP8DescriptorError) {
    var reader = ByteReader(payload)
    do {
      try self.init(reading: &reader)
    } catch {
      throw .shortPayload
    }
    guard !reader.isAtEnd else { throw .shortPayload }
  }

  private init(reading reader: inout ByteReader) throws(UnexpectedEnd) {
    let first = try reader.readUInt8()
    self.init(isNonReference: first & 0x20 != 0, startsPartition: first & 0x10 != 0, partitionIndex: first & 0x07)
    guard first & 0x80 != 0 else { return }
    let present = try reader.readUInt8()
    if present & 0x80 != 0 { try readPictureID(from: &reader) }
    if present & 0x40 != 0 { tl0PictureIndex = try reader.readUInt8() }
    guard present & 0x30 != 0 else { return }
    let last = try reader.readUInt8()
    if present & 0x20 != 0 {
      temporalLayer = last >> 6
      isLayerSync = last & 0x20 != 0
    }
    if present & 0x10 != 0 { keyIndex = last & 0x1F }
  }

  private mutating func readPictureID(from reader: inout ByteReader) throws(UnexpectedEnd) {
    let first = try reader.readUInt8()
    hasShortPictureID = first & 0x80 == 0
    guard !hasShortPictureID else {
      pictureID = UInt16(first)
      return
    }
    pictureID = UInt16(first & 0x7F) << 8 | UInt16(try reader.readUInt8())
  }
}

extension VP8PayloadDescriptor {
  /// Octets that the descriptor takes, 1 to 6.
  public var byteCount: Int {
    guard hasExtension else { return 1 }
    let pictureIDCount = pictureID == nil ? 0 : hasShortPictureID ? 1 : 2
    return 2 + pictureIDCount + (tl0PictureIndex == nil ? 0 : 1) + (hasLayerOctet ? 1 : 0)
  }

  private var hasLayerOctet: Bool { temporalLayer != nil || keyIndex != nil }
  private var hasExtension: Bool { pictureID != nil || tl0PictureIndex != nil || hasLayerOctet }

  /// Writes the descriptor; values beyond their fields are cut to the field's width.
  public func write(to writer: inout ByteWriter) throws(InsufficientSpace) {
    let flags: UInt8 =
      (hasExtension ? 0x80 : 0) | (isNonReference ? 0x20 : 0) | (startsPartition ? 0x10 : 0)
    try writer.write(flags | partitionIndex & 0x07)
    guard hasExtension else { return }
    let hasID: UInt8 = pictureID == nil ? 0 : 0x80
    let hasIndex: UInt8 = tl0PictureIndex == nil ? 0 : 0x40
    let hasLayer: UInt8 = (temporalLayer == nil ? 0 : 0x20) | (keyIndex == nil ? 0 : 0x10)
    try writer.write(hasID | hasIndex | hasLayer)
    if let pictureID { try write(pictureID: pictureID, to: &writer) }
    if let tl0PictureIndex { try writer.write(tl0PictureIndex) }
    if hasLayerOctet {
      let layer = (temporalLayer ?? 0) << 6 | (isLayerSync ? 0x20 : 0)
      try writer.write(layer | (keyIndex ?? 0) & 0x1F)
    }
  }

  private func write(pictureID: UInt16, to writer: inout ByteWriter) throws(InsufficientSpace) {
    if hasShortPictureID {
      try writer.write(UInt8(pictureID & 0x7F))
    } else {
      try writer.write(0x8000 | pictureID & 0x7FFF)
    }
  }
}
