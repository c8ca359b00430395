import NIOCore

/// A part of a file as a sequence of buffers, one of them in memory at a time.
struct ArchiveFileChunks: AsyncSequence, Sendable {
  /// The file became shorter while it was sent.
  struct Truncated: Error {}

  private static let chunk: Int64 = 64 * 1024

  let file: any ArchiveFileReading
  let range: Range<Int64>

  struct Iterator: AsyncIteratorProtocol {
    let file: any ArchiveFileReading
    var rest: Range<Int64>

    mutating func next() async throws -> ByteBuffer? {
      guard !rest.isEmpty else { return nil }
      let wanted = Int(clamping: Swift.min(ArchiveFileChunks.chunk, rest.upperBound - rest.lowerBound))
      let bytes = try await file.read(at: rest.lowerBound, count: wanted)
      guard !bytes.isEmpty, bytes.count <= wanted else { throw Truncated() }
      rest = (rest.lowerBound + Int64(bytes.count))..<rest.upperBound
      return ByteBuffer(bytes: bytes)
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(file: file, rest: range) }
}
