import MediaCore

/// A place within a cluster's content.
struct ClusterCursor {
  private var position = 0
  private var timestamp: Int64?
  /// Whether the content ended before its end.
  private(set) var isDamaged = false

  private static let largestTimestamp: UInt64 = 1 << 53

  /// A cluster without content, whatever is read where it would be.
  init() { position = .max }

  /// Starts at a cluster's content; `nil` if its checksum is wrong. One without a checksum is believed.
  init?(checking content: RawSpan) {
    var reader = ByteReader(content)
    guard let first = try? reader.readElementHeader(), first.id == .crc32 else { return }
    guard first.size == 4, let stored = try? reader.readUInt32() else { return nil }
    position = reader.offset
    guard CRC32.checksum(reader.readRemaining()) == stored.byteSwapped else { return nil }
  }

  /// The next SimpleBlock; `nil` at the end.
  ///
  /// - Parameter content: the same as in `init`.
  mutating func next(_ content: RawSpan) -> WebMBlock? {
    while !isDamaged, position < content.byteCount {
      do {
        if let block = try read(content) { return block }
      } catch {
        isDamaged = true
      }
    }
    return nil
  }

  /// Reads one element; `nil` if it is no block that can be read.
  private mutating func read(_ content: RawSpan) throws(EBMLError) -> WebMBlock? {
    var reader = ByteReader(content.extracting(position..<content.byteCount))
    let (id, size) = try reader.readWholeElementHeader()
    let start = position + reader.offset
    position = start + size
    guard let bytes = try? reader.readBytes(size) else { throw .unexpectedEnd }
    var element = ByteReader(bytes)
    switch id {
    case .timestamp:
      let value = try element.readUnsigned(width: min(size, 8))
      guard value <= Self.largestTimestamp else { throw .invalidSize }
      timestamp = Int64(value)
      return nil
    case .simpleBlock: return try block(&element, start: start)
    default: return nil
    }
  }

  /// Reads a SimpleBlock (RFC 9559 §10.2): track number, time within the cluster, flags, frame.
  private func block(_ element: inout ByteReader, start: Int) throws(EBMLError) -> WebMBlock? {
    let track: UInt8 = try element.readNumber()
    let relative = Int64(try element.readNumber(as: Int16.self))
    let flags: UInt8 = try element.readNumber()
    guard let timestamp, !element.isAtEnd else { throw .unexpectedEnd }
    let isLaced = flags & 0x06 != 0
    guard track > 0x80, !isLaced else { return nil }
    let payload = start + element.offset
    return WebMBlock(
      trackNumber: track & 0x7F, milliseconds: timestamp + relative, isKeyFrame: flags & 0x80 != 0,
      isDiscardable: flags & 0x01 != 0, payload: payload..<payload + element.remaining)
  }
}
