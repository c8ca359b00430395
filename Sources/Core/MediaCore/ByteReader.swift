/// Input ended before a required field.
public struct UnexpectedEnd: Error, Equatable, Sendable {
  /// The error carries no details.
  public init() {}
}

/// Reads network-order fields from borrowed bytes; the one place where parsers touch memory.
///
/// Every read is bounds-checked and throws ``UnexpectedEnd``; no read allocates. A reader borrows its
/// bytes and cannot outlive them.
public struct ByteReader: ~Escapable {
  @usableFromInline let bytes: RawSpan
  @usableFromInline var position: Int

  /// Begins at the first byte.
  @inlinable
  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan) {
    self.bytes = bytes
    self.position = 0
  }

  /// Bytes read or skipped so far.
  @inlinable
  public var offset: Int { position }

  /// Bytes not yet read.
  @inlinable
  public var remaining: Int { bytes.byteCount - position }

  /// Whether every byte was read or skipped.
  @inlinable
  public var isAtEnd: Bool { remaining == 0 }

  /// Reads one byte.
  @inlinable
  public mutating func readUInt8() throws(UnexpectedEnd) -> UInt8 {
    let start = try advance(by: 1)
    return byte(at: start)
  }

  /// Reads two bytes in network order.
  @inlinable
  public mutating func readUInt16() throws(UnexpectedEnd) -> UInt16 {
    let start = try advance(by: 2)
    return UInt16(byte(at: start)) << 8 | UInt16(byte(at: start + 1))
  }

  /// Reads a 24-bit unsigned integer.
  @inlinable
  public mutating func readUInt24() throws(UnexpectedEnd) -> UInt32 {
    let start = try advance(by: 3)
    return UInt32(byte(at: start)) << 16 | UInt32(byte(at: start + 1)) << 8 | UInt32(byte(at: start + 2))
  }

  /// Reads four bytes in network order.
  @inlinable
  public mutating func readUInt32() throws(UnexpectedEnd) -> UInt32 {
    let start = try advance(by: 4)
    return unsafe UInt32(bigEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt32.self))
  }

  /// Reads eight bytes in network order.
  @inlinable
  public mutating func readUInt64() throws(UnexpectedEnd) -> UInt64 {
    let start = try advance(by: 8)
    return unsafe UInt64(bigEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self))
  }

  /// Reads `count` bytes and returns them as a borrowed view.
  @inlinable
  @_lifetime(copy self)
  public mutating func readBytes(_ count: Int) throws(UnexpectedEnd) -> RawSpan {
    let start = try advance(by: count)
    return bytes.extracting(start..<start + count)
  }

  /// Reads everything that is left as a borrowed view.
  @inlinable
  @_lifetime(copy self)
  public mutating func readRemaining() -> RawSpan {
    let start = position
    position = bytes.byteCount
    return bytes.extracting(start..<bytes.byteCount)
  }

  /// Skips `count` bytes; throws if there are fewer.
  @inlinable
  public mutating func skip(_ count: Int) throws(UnexpectedEnd) {
    _ = try advance(by: count)
  }

  /// Returns the byte `distance` bytes ahead without consuming it.
  @inlinable
  public func peekUInt8(ahead distance: Int = 0) throws(UnexpectedEnd) -> UInt8 {
    guard distance >= 0, distance < remaining else { throw UnexpectedEnd() }
    return byte(at: position + distance)
  }

  @inlinable
  mutating func advance(by count: Int) throws(UnexpectedEnd) -> Int {
    guard count >= 0, count <= remaining else { throw UnexpectedEnd() }
    let start = position
    position = start + count
    return start
  }

  /// The caller has checked `position` against the byte count.
  @inlinable
  func byte(at position: Int) -> UInt8 {
    unsafe bytes.unsafeLoad(fromUncheckedByteOffset: position, as: UInt8.self)
  }
}

extension RawSpan {
  /// Copies the bytes into a new array. Not for the media path: it allocates.
  public func copiedToArray() -> [UInt8] {
    unsafe withUnsafeBytes { unsafe Array($0) }
  }
}
