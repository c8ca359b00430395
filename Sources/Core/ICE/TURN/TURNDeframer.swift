import MediaCore

/// The stream holds neither STUN nor ChannelData: nothing after it can be parsed.
public struct TURNStreamError: Error, Hashable, Sendable {}

/// Cuts the stream of a TCP or TLS connection to a TURN server into messages (RFC 8489 §6.2.2, RFC 8656 §12.5).
///
/// Octets come in any pieces. One message is kept at a time, in memory allocated once; a message that is too long for
/// it is skipped.
public struct TURNDeframer {
  /// The longest message that is kept: a datagram of 1,500 octets in a Data indication, and then some.
  static let capacity = 2_048
  /// As much of a message as holds its length.
  private static let prefixSize = 4

  private var storage = [UInt8](repeating: 0, count: capacity)
  /// Octets of the message so far.
  private var count = 0
  /// Octets that the message has, its padding included, or those of the prefix.
  private var needed = prefixSize
  /// ``needed`` counts the whole message.
  private var hasLength = false
  /// Pending octets of an oversized message.
  private var excess = 0

  /// Allocates what one message takes, 2,048 octets.
  public init() {}

  /// Takes octets from `offset` on until a message is whole, and moves `offset` behind them.
  ///
  /// - Returns: false when there are not enough; call again with the next ones.
  public mutating func take(_ octets: RawSpan, from offset: inout Int) throws(TURNStreamError) -> Bool {
    if isWhole { start() }
    while true {
      passOver(octets.byteCount, &offset)
      collect(octets, from: &offset)
      guard count == needed, excess == 0 else { return false }
      if !hasLength { try readPrefix() }
      guard isWhole else { continue }
      try checkCookie()
      return true
    }
  }

  /// Lends the message that is whole, its padding included.
  public mutating func withMessage<Result>(_ body: (inout MutableRawSpan) -> Result) -> Result {
    let length = needed
    var span = storage.mutableSpan
    var bytes = unsafe span.mutableBytes
    var message = bytes._mutatingExtracting(0..<length)
    return body(&message)
  }

  private var isWhole: Bool { hasLength && count == needed }

  private mutating func start() {
    count = 0
    needed = Self.prefixSize
    hasLength = false
  }

  private mutating func passOver(_ end: Int, _ offset: inout Int) {
    let passed = min(excess, end - offset)
    excess -= passed
    offset += passed
  }

  private mutating func collect(_ octets: RawSpan, from offset: inout Int) {
    let start = count
    let taken = min(needed - start, octets.byteCount - offset)
    guard taken > 0, excess == 0 else { return }
    var span = storage.mutableSpan
    var bytes = unsafe span.mutableBytes
    var writer = ByteWriter(overwriting: &bytes, from: start, upTo: start + taken)
    // The buffer holds exactly this.
    try? writer.write(octets.extracting(offset..<offset + taken))
    count += taken
    offset += taken
  }

  private mutating func readPrefix() throws(TURNStreamError) {
    guard let length = Self.length(prefix: unsafe storage.span.bytes) else { throw TURNStreamError() }
    guard length <= Self.capacity else {
      excess = length - Self.prefixSize
      return start()
    }
    needed = length
    hasLength = true
  }

  /// Octets of a message that begins so, padding included.
  private static func length(prefix: RawSpan) -> Int? {
    if let data = ChannelData(head: prefix) { return ChannelData.headSize + data.length + data.padding }
    var reader = ByteReader(prefix)
    guard let type = try? reader.readUInt16(), let length = try? reader.readUInt16(), type >> 14 == 0, length % 4 == 0
    else { return nil }
    return STUNHeader.size + Int(length)
  }

  /// Without its cookie it is no STUN message, and the start of the next one is unknown.
  private func checkCookie() throws(TURNStreamError) {
    let message = unsafe storage.span.bytes.extracting(0..<needed)
    guard ChannelData(head: message) != nil || isSTUN(message) else { throw TURNStreamError() }
  }
}
