/// Octets that wait until a stream takes them.
///
/// What does not fit is left out as a whole message, so that a stream is never torn. Media is left out earlier than
/// what keeps the allocation alive.
struct TURNSendQueue {
  /// At 1 Mbit/s a quarter of a second: what waits longer is of no use to a call.
  static let mediaLimit = 32_768
  static let limit = 49_152

  private var octets: [UInt8] = []
  private var head = 0

  var count: Int { octets.count - head }
  var isEmpty: Bool { count == 0 }

  /// Whether a TURN message may be added.
  func admits(_ message: RawSpan) -> Bool {
    count + message.byteCount <= (Self.isChannelData(message) ? Self.mediaLimit : Self.limit)
  }

  mutating func append(_ octets: UnsafeRawBufferPointer) {
    if head > 0 {
      self.octets.removeFirst(head)
      head = 0
    }
    self.octets.append(contentsOf: octets)
  }

  /// Has `body` take octets from the front; it returns how many it took.
  mutating func take(_ body: (UnsafeRawBufferPointer) -> Int) {
    head += octets.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[head...])) }
    guard head == octets.count else { return }
    octets.removeAll(keepingCapacity: true)
    head = 0
  }

  /// Whether the message is media (RFC 8656 §12.4); others are STUN's.
  private static func isChannelData(_ message: RawSpan) -> Bool {
    message.byteCount > 0 && message.unsafeLoad(as: UInt8.self) & 0xC0 == 0x40
  }
}
