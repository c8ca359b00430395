public import WebM

/// A file in memory, for scanning.
public struct MemorySource: WebMSource {
  public let bytes: [UInt8]
  /// How much has been read of it, all calls together.
  public private(set) var bytesRead = 0

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public var byteCount: UInt64 { UInt64(bytes.count) }

  public mutating func read(at offset: UInt64, count: Int, into target: inout [UInt8]) throws(Never) -> Int {
    let start = min(Int(offset), bytes.count)
    let count = min(count, bytes.count - start)
    target.withUnsafeMutableBytes { $0.copyBytes(from: bytes[start..<start + count]) }
    bytesRead += count
    return count
  }
}
