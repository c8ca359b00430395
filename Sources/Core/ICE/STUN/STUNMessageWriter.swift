public import MediaCore
public import TransportCrypto

/// Writes one STUN message, attribute by attribute, into memory lent for each call.
///
/// Pass the same buffer every time. Order matters: ``appendIntegrity(password:crypto:to:)`` and then
/// ``appendFingerprint(to:)`` come last. Nothing is allocated.
public struct STUNMessageWriter {
  /// Octets written so far: the message's size.
  public private(set) var count = 0
  private let transactionID: STUNTransactionID

  /// Writes the header.
  ///
  /// - Throws: `InsufficientSpace` if the buffer holds less than 20 octets.
  public init(
    _ messageClass: STUNClass, _ method: STUNMethod = .binding, _ transactionID: STUNTransactionID,
    to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) {
    self.transactionID = transactionID
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.byteCount))
    try writer.write(STUNHeader.type(messageClass, method))
    try writer.write(UInt16(0))
    try writer.write(STUNHeader.magicCookie)
    try writer.write(transactionID.high)
    try writer.write(transactionID.low)
    count = writer.count
  }

  /// Appends an attribute with the given value.
  public mutating func append(
    _ type: STUNAttributeType, _ value: RawSpan, to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) {
    try append(type, &buffer) { writer throws(InsufficientSpace) in try writer.write(value) }
  }

  /// Appends an attribute whose value is a number in network order.
  public mutating func append(
    _ type: STUNAttributeType, _ value: UInt32, to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) {
    try append(type, &buffer) { writer throws(InsufficientSpace) in try writer.write(value) }
  }

  /// Appends an attribute whose value is a number in network order.
  public mutating func append(
    _ type: STUNAttributeType, _ value: UInt64, to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) {
    try append(type, &buffer) { writer throws(InsufficientSpace) in try writer.write(value) }
  }

  /// Appends an attribute whose value of `byteCount` octets lies where it belongs already: after the attribute's head.
  mutating func appendInPlace(
    _ type: STUNAttributeType, byteCount: Int, to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) {
    let padding = -byteCount & 3
    let end = count + STUNAttribute.headerSize + byteCount + padding
    guard end <= buffer.byteCount, byteCount <= UInt16.max else { throw InsufficientSpace() }
    var head = ByteWriter(overwriting: &buffer, from: count, upTo: count + STUNAttribute.headerSize)
    try head.write(type.rawValue)
    try head.write(UInt16(clamping: byteCount))
    var tail = ByteWriter(overwriting: &buffer, from: end - padding, upTo: end)
    for _ in 0..<padding { try tail.write(UInt8(0)) }
    finish(at: end, &buffer)
  }

  /// Appends an attribute without a value, such as USE-CANDIDATE.
  public mutating func append(_ type: STUNAttributeType, to buffer: inout MutableRawSpan) throws(InsufficientSpace) {
    try append(type, &buffer) { _ in }
  }

  /// Appends XOR-MAPPED-ADDRESS.
  public mutating func appendMappedAddress(
    _ address: TransportAddress, to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) {
    try append(.xorMappedAddress, address, to: &buffer)
  }

  /// Appends an attribute that is coded as XOR-MAPPED-ADDRESS is, such as XOR-PEER-ADDRESS.
  public mutating func append(
    _ type: STUNAttributeType, _ address: TransportAddress, to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) {
    let masked = address.masked(transactionID)
    try append(type, &buffer) { writer throws(InsufficientSpace) in
      try writer.write(UInt16(masked.isIPv6 ? STUNAddressFamily.ipv6 : STUNAddressFamily.ipv4))
      try writer.write(masked.port)
      guard masked.isIPv6 else { return try writer.write(UInt32(truncatingIfNeeded: masked.high >> 32)) }
      try writer.write(masked.high)
      try writer.write(masked.low)
    }
  }

  /// Appends ERROR-CODE with an empty reason phrase.
  public mutating func appendErrorCode(_ code: Int, to buffer: inout MutableRawSpan) throws(InsufficientSpace) {
    try append(.errorCode, UInt32(code / 100) << 8 | UInt32(code % 100), to: &buffer)
  }

  /// Appends UNKNOWN-ATTRIBUTES.
  public mutating func appendUnknownAttributes(
    _ types: STUNUnknownAttributes, to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) {
    try append(.unknownAttributes, &buffer) { writer throws(InsufficientSpace) in
      for index in 0..<types.count { try writer.write(types[index].rawValue) }
    }
  }
}

extension STUNMessageWriter {
  /// Appends MESSAGE-INTEGRITY over the octets so far.
  public mutating func appendIntegrity(
    password: [UInt8], crypto: any CryptoPrimitives, to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) {
    let end = count
    var digest = [20 of UInt8](repeating: 0)
    unsafe try append(.messageIntegrity, digest.span.bytes, to: &buffer)
    var digestSpan = digest.mutableSpan
    var output = unsafe digestSpan.mutableBytes
    unsafe crypto.hmacSHA1(key: password.span.bytes, message: buffer.bytes.extracting(0..<end), into: &output)
    var writer = ByteWriter(buffer._mutatingExtracting(end + STUNAttribute.headerSize..<count))
    try writer.write(output.bytes)
  }

  /// Appends FINGERPRINT over the octets so far.
  public mutating func appendFingerprint(to buffer: inout MutableRawSpan) throws(InsufficientSpace) {
    let end = count
    try append(.fingerprint, UInt32(0), to: &buffer)
    let checksum = STUNFingerprint.compute(over: buffer.bytes.extracting(0..<end))
    var writer = ByteWriter(buffer._mutatingExtracting(end + STUNAttribute.headerSize..<count))
    try writer.write(checksum)
  }

  /// Writes type, length, the value that `body` writes and its padding, and makes the header count them.
  private mutating func append(
    _ type: STUNAttributeType, _ buffer: inout MutableRawSpan,
    _ body: (inout ByteWriter) throws(InsufficientSpace) -> Void
  ) throws(InsufficientSpace) {
    var writer = ByteWriter(buffer._mutatingExtracting(count..<buffer.byteCount))
    try writer.write(type.rawValue)
    try writer.write(UInt16(0))
    try body(&writer)
    let length = writer.count - STUNAttribute.headerSize
    try writer.overwrite(UInt16(clamping: length), at: 2)
    for _ in 0..<(-length & 3) { try writer.write(UInt8(0)) }
    finish(at: count + writer.count, &buffer)
  }

  private mutating func finish(at end: Int, _ buffer: inout MutableRawSpan) {
    count = end
    buffer.storeBytes(of: UInt16(truncatingIfNeeded: end - STUNHeader.size).bigEndian, toByteOffset: 2, as: UInt16.self)
  }
}
