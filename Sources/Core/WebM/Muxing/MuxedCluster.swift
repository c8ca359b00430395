import MediaCore

/// Collects blocks in the order of time and turns them into a Cluster of known size with a CRC-32.
struct MuxedCluster: Sendable {
  /// The Timestamp and the blocks so far.
  private var content = EBMLWriter(capacity: 1024 * 1024)
  private(set) var start: Int64 = 0
  private(set) var isEmpty = true

  static let longestMilliseconds: Int64 = 5_000
  static let largestByteCount = 5_000_000

  /// Whether a block has to go to the next cluster.
  func isFull(at milliseconds: Int64, payload: Int) -> Bool {
    milliseconds - start >= Self.longestMilliseconds || content.count + payload > Self.largestByteCount
  }

  /// Adds a SimpleBlock (RFC 9559 §10.2); the first one's time becomes the cluster's.
  mutating func append(
    track: UInt8, milliseconds: Int64, isKeyFrame: Bool, isDiscardable: Bool, payload: RawSpan
  ) {
    if isEmpty {
      isEmpty = false
      start = milliseconds
      content.writeUnsigned(.timestamp, UInt64(milliseconds))
    }
    content.write(.simpleBlock)
    content.writeSize(payload.byteCount + 4)
    content.writeBigEndian(UInt64(track) | 0x80, width: 1)
    content.writeBigEndian(UInt64(bitPattern: milliseconds - start), width: 2)
    content.writeBigEndian((isKeyFrame ? 0x80 : 0) | (isDiscardable ? 0x01 : 0), width: 1)
    content.write(payload)
  }

  /// Writes the Cluster and forgets its blocks.
  mutating func close(into writer: inout EBMLWriter) {
    let checksum = content.withBytes { CRC32.checksum($0) }
    writer.removeAll()
    writer.write(.cluster)
    writer.writeSize(content.count + 6)
    writer.write(.crc32)
    writer.writeSize(4)
    writer.writeBigEndian(UInt64(checksum.byteSwapped), width: 4)
    content.withBytes { writer.write($0) }
    content.removeAll()
    isEmpty = true
  }
}
