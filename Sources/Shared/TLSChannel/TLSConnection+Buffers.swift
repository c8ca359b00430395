internal import NIOCore
internal import TLSClient

extension TLSConnection {
  /// The maximum octets of a TLS record (RFC 8446 §5.1).
  private static let record = 16_384
  /// The maximum octets that TLS sends by itself between two writes of the protocol above: answers to requests for new
  /// keys (RFC 8446 §4.6.3) or a new handshake. They cannot wait for a peer that reads nothing, and so would fill the
  /// memory; some hundred are more than any peer asks for.
  static let maximumAnswers = 16_384

  /// Octets of one record; nil when there are none.
  func takePlaintext(from allocator: ByteBufferAllocator) -> ByteBuffer? {
    let buffer = Self.fill(allocator, Self.record) { takePlaintext(into: &$0) }
    return buffer.readableBytes > 0 ? buffer : nil
  }

  /// All octets that wait to be sent.
  func takeCiphertext(from allocator: ByteBufferAllocator) -> ByteBuffer {
    Self.fill(allocator, pendingCiphertext) { takeCiphertext(into: &$0) }
  }

  private static func fill(
    _ allocator: ByteBufferAllocator, _ capacity: Int, _ take: (inout MutableRawSpan) -> Int
  ) -> ByteBuffer {
    var buffer = allocator.buffer(capacity: capacity)
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity) { bytes in
      var span = bytes.mutableBytes
      return take(&span)
    }
    return buffer
  }
}
