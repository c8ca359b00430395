/// The output buffer is too small.
public struct InsufficientSpace: Error, Equatable, Sendable {
  /// The error carries no details.
  public init() {}
}

/// Writes network-order fields into borrowed memory without allocating.
///
/// Every write is bounds-checked and throws ``InsufficientSpace``, leaving earlier output intact.
public struct ByteWriter: ~Escapable, ~Copyable {
  @usableFromInline var bytes: MutableRawSpan
  @usableFromInline var position: Int

  /// Begins at the first byte.
  @inlinable
  @_lifetime(copy bytes)
  public init(_ bytes: consuming MutableRawSpan) {
    self.bytes = bytes
    self.position = 0
  }

  /// Bytes written so far.
  @inlinable
  public var count: Int { position }

  /// Bytes that can still be written.
  @inlinable
  public var remaining: Int { bytes.byteCount - position }

  /// Writes one byte.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func write(_ value: UInt8) throws(InsufficientSpace) {
    let start = try advance(by: 1)
    unsafe bytes.storeBytes(of: value, toUncheckedByteOffset: start, as: UInt8.self)
  }

  /// Writes two bytes in network order.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func write(_ value: UInt16) throws(InsufficientSpace) {
    let start = try advance(by: 2)
    unsafe bytes.storeBytes(of: value.bigEndian, toUncheckedByteOffset: start, as: UInt16.self)
  }

  /// Writes the low 24 bits of `value`.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func writeUInt24(_ value: UInt32) throws(InsufficientSpace) {
    guard remaining >= 3 else { throw InsufficientSpace() }
    try write(UInt8(truncatingIfNeeded: value >> 16))
    try write(UInt16(truncatingIfNeeded: value))
  }

  /// Writes four bytes in network order.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func write(_ value: UInt32) throws(InsufficientSpace) {
    let start = try advance(by: 4)
    unsafe bytes.storeBytes(of: value.bigEndian, toUncheckedByteOffset: start, as: UInt32.self)
  }

  /// Writes eight bytes in network order.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func write(_ value: UInt64) throws(InsufficientSpace) {
    let start = try advance(by: 8)
    unsafe bytes.storeBytes(of: value.bigEndian, toUncheckedByteOffset: start, as: UInt64.self)
  }

  /// Copies `source` into the output.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func write(_ source: RawSpan) throws(InsufficientSpace) {
    let start = try advance(by: source.byteCount)
    unsafe bytes.withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes {
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(from: $0)
      }
    }
  }

  /// Overwrites two bytes written before, for lengths known only afterwards.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func overwrite(_ value: UInt16, at offset: Int) throws(InsufficientSpace) {
    guard offset >= 0, offset + 2 <= position else { throw InsufficientSpace() }
    unsafe bytes.storeBytes(of: value.bigEndian, toUncheckedByteOffset: offset, as: UInt16.self)
  }

  @inlinable
  mutating func advance(by length: Int) throws(InsufficientSpace) -> Int {
    guard length >= 0, length <= remaining else { throw InsufficientSpace() }
    let start = position
    position = start + length
    return start
  }
}
