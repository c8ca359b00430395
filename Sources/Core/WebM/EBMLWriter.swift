/// Builds EBML elements in memory that it owns and keeps.
///
/// The memory grows with the largest output and is then reused, so writing allocates
/// nothing after warm-up.
struct EBMLWriter: Sendable {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  var count: Int { bytes.count }

  /// Forgets the content and keeps the memory.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Lends the bytes written since `removeAll()`.
  func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
    try unsafe body(bytes.span.bytes)
  }

  mutating func write(_ source: RawSpan) {
    unsafe source.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  /// Writes the low `width` bytes of `value`, most significant first.
  mutating func writeBigEndian(_ value: UInt64, width: Int) {
    var shift = UInt64(8 * width)
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func write(_ id: ElementID) { writeBigEndian(UInt64(id.rawValue), width: id.byteCount) }

  /// Writes an element data size (RFC 8794 §6) in `width` bytes, or in as few as hold it.
  mutating func writeSize(_ size: Int, width: Int? = nil) {
    let width = width ?? Self.sizeWidth(size)
    writeBigEndian(UInt64(size) | 1 << UInt64(7 * width), width: width)
  }

  /// Writes the eight-byte size of an element whose end is unknown.
  mutating func writeUnknownSize() { writeBigEndian(0x01FF_FFFF_FFFF_FFFF, width: 8) }

  mutating func writeUnsigned(_ id: ElementID, _ value: UInt64, width: Int? = nil) {
    let width = width ?? max(1, (64 - value.leadingZeroBitCount + 7) / 8)
    write(id)
    writeSize(width)
    writeBigEndian(value, width: width)
  }

  mutating func writeFloat(_ id: ElementID, _ value: Double) { writeUnsigned(id, value.bitPattern, width: 8) }

  mutating func writeString(_ id: ElementID, _ text: StaticString) {
    write(id)
    writeSize(text.utf8CodeUnitCount)
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Writes an element that contains what `body` writes. Allocates; for headers, not for clusters.
  mutating func writeMaster(_ id: ElementID, _ body: (inout EBMLWriter) -> Void) {
    var content = EBMLWriter(capacity: 256)
    body(&content)
    write(id)
    writeSize(content.count)
    bytes.append(contentsOf: content.bytes)
  }

  /// Writes a Void element of `total` bytes, header included; at least two.
  mutating func writeVoid(total: Int) {
    let width = total < 9 ? 1 : 8
    write(.void)
    writeSize(total - 1 - width, width: width)
    writeZeros(total - 1 - width)
  }

  /// A block at a time, which costs a program that is not optimized a thousandth of a byte at a time.
  private mutating func writeZeros(_ count: Int) {
    unsafe Self.zeros.withUnsafeBufferPointer { zeros in
      var left = count
      while left > 0 {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: zeros.prefix(left)))
        left -= min(left, zeros.count)
      }
    }
  }

  private static let zeros = [UInt8](repeating: 0, count: 1_024)

  /// Overwrites four bytes written before, least significant first, as CRC-32 elements store them.
  mutating func overwriteLittleEndian(_ value: UInt32, at offset: Int) {
    for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
  }

  /// Overwrites bytes written before with the low `width` bytes of `value`, most significant first.
  mutating func overwriteBigEndian(_ value: UInt64, at offset: Int, width: Int) {
    for index in 0..<width {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - index)))
    }
  }

  /// Bytes that the shortest size field for `size` takes; all ones is reserved for "unknown".
  static func sizeWidth(_ size: Int) -> Int {
    var width = 1
    while size >= 1 << (7 * width) - 1 { width += 1 }
    return width
  }
}
