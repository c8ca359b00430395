public import MediaCore

/// The header extension elements of packets to be sent, kept in the value itself: making and changing one never
/// allocates.
///
/// Build one a stream and change the elements that differ a packet (``set(_:to:)``). The one-byte form is written
/// where every element fits it, the two-byte form otherwise (RFC 8285 §4.2, §4.3).
public struct RTPHeaderExtensionBlock: Sendable {
  /// Octets of all elements together, each with a two-octet head.
  public static let capacity = 96

  private var storage = InlineArray<96, UInt8>(repeating: 0)
  private var count = 0
  private var elementCount = 0
  private var needsTwoByteForm = false

  public init() {}

  public var isEmpty: Bool { count == 0 }

  /// Adds element `id`, or replaces its value, which must keep its length.
  ///
  /// Returns false, changing nothing, when the value does not fit, its length differs from the one set before, or
  /// `id` is 0.
  @discardableResult
  public mutating func set(_ id: UInt8, to value: RawSpan) -> Bool {
    guard id != 0, value.byteCount <= 255 else { return false }
    guard let start = place(id, byteCount: value.byteCount) else { return false }
    let bytes = ByteReader(value)
    for index in 0..<value.byteCount {
      storage[start + index] = (try? bytes.peekUInt8(ahead: index)) ?? 0
    }
    return true
  }

  /// Sets element `id` to the low `byteCount` octets of `value`, in network order.
  @discardableResult
  public mutating func set(_ id: UInt8, to value: UInt32, byteCount: Int) -> Bool {
    guard id != 0, (1...4).contains(byteCount), let start = place(id, byteCount: byteCount) else { return false }
    for index in 0..<byteCount {
      storage[start + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * (byteCount - 1 - index)))
    }
    return true
  }

  /// Finds the value's place: that of the same element, or a new one at the end.
  private mutating func place(_ id: UInt8, byteCount: Int) -> Int? {
    var position = 0
    while position < count {
      let length = Int(storage[position + 1])
      if storage[position] == id { return length == byteCount ? position + 2 : nil }
      position += 2 + length
    }
    guard count + 2 + byteCount <= Self.capacity else { return nil }
    storage[count] = id
    storage[count + 1] = UInt8(byteCount)
    count += 2 + byteCount
    elementCount += 1
    needsTwoByteForm = needsTwoByteForm || id > 14 || !(1...16).contains(byteCount)
    return count - byteCount
  }

  /// Octets that the elements take in a packet, with the four-octet head and padding; 0 when there are none.
  public var byteCount: Int {
    guard count > 0 else { return 0 }
    return 4 + paddedCount
  }

  private var unpaddedCount: Int { needsTwoByteForm ? count : count - elementCount }
  private var paddedCount: Int { (unpaddedCount + 3) & ~3 }

  func write(to writer: inout ByteWriter) throws(InsufficientSpace) {
    guard count > 0 else { return }
    try writer.write(needsTwoByteForm ? 0x1000 as UInt16 : 0xBEDE)
    try writer.write(UInt16(paddedCount / 4))
    var position = 0
    while position < count {
      let length = Int(storage[position + 1])
      try writeHead(id: storage[position], length: length, to: &writer)
      for index in position + 2..<position + 2 + length { try writer.write(storage[index]) }
      position += 2 + length
    }
    for _ in unpaddedCount..<paddedCount { try writer.write(UInt8(0)) }
  }

  private func writeHead(id: UInt8, length: Int, to writer: inout ByteWriter) throws(InsufficientSpace) {
    if needsTwoByteForm {
      try writer.write(id)
      try writer.write(UInt8(length))
    } else {
      try writer.write(id << 4 | UInt8(length - 1))
    }
  }
}

extension RTPHeader {
  /// Octets that ``write(to:extensions:)`` writes.
  public static func byteCount(with extensions: borrowing RTPHeaderExtensionBlock) -> Int {
    12 + extensions.byteCount
  }

  /// Writes the header without contributing sources; the payload follows it.
  ///
  /// - Parameter isPadded: padding, which its last octet counts, will end the packet (RFC 3550 §5.1).
  public func write(
    to writer: inout ByteWriter, extensions: borrowing RTPHeaderExtensionBlock, isPadded: Bool = false
  ) throws(InsufficientSpace) {
    try writer.write((extensions.isEmpty ? 0x80 as UInt8 : 0x90) | (isPadded ? 0x20 : 0))
    try writer.write((marker ? 0x80 : 0) | payloadType & 0x7F)
    try writer.write(sequenceNumber.rawValue)
    try writer.write(timestamp)
    try writer.write(ssrc.rawValue)
    try extensions.write(to: &writer)
  }
}
