public import MediaCore

/// The header extension elements of packets to be sent, kept in the value itself: making and changing one never
/// allocates.
///
/// Build one a stream and change the elements that differ a packet (``set(_:to:)``). The one-byte form is written
/// where every element fits it, the two-byte form otherwise (RFC 8285 §4.2, §4.3). The octets are kept as packets carry
/// them, so that writing them is one copy.
public struct RTPHeaderExtensionBlock: Sendable {
  /// Octets of all elements together, each with a two-octet head.
  public static let capacity = 96
  /// The profile and the length in 32-bit words come first.
  private static var headCount: Int { 4 }

  private var octets = InlineArray<100, UInt8>(repeating: 0)
  /// Where the elements end; zero padding follows.
  private var end = headCount
  private var elementCount = 0
  private var isTwoByte = false

  /// No elements.
  public init() {}

  /// Whether there are no elements, and so no extension in a packet.
  public var isEmpty: Bool { elementCount == 0 }

  /// Octets that the elements take in a packet, with the four-octet head and padding; 0 when there are none.
  public var byteCount: Int { isEmpty ? 0 : (end + 3) & ~3 }

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
      octets[start + index] = (try? bytes.peekUInt8(ahead: index)) ?? 0
    }
    return true
  }

  /// Sets element `id` to the low `byteCount` octets of `value`, in network order.
  @discardableResult
  public mutating func set(_ id: UInt8, to value: UInt32, byteCount: Int) -> Bool {
    guard id != 0, (1...4).contains(byteCount), let start = place(id, byteCount: byteCount) else { return false }
    var (rest, index) = (value, start + byteCount)
    while index > start {
      index -= 1
      octets[index] = UInt8(truncatingIfNeeded: rest)
      rest &>>= 8
    }
    return true
  }

  func write(to writer: inout ByteWriter) throws(InsufficientSpace) {
    try unsafe writer.write(octets.span.bytes.extracting(first: byteCount))
  }
}

// MARK: - Places

extension RTPHeaderExtensionBlock {
  private var elementHeadCount: Int { isTwoByte ? 2 : 1 }

  /// Finds the value's place: that of the same element, or a new one at the end.
  private mutating func place(_ id: UInt8, byteCount: Int) -> Int? {
    guard let found = Self.find(id, in: octets.span, upTo: end, isTwoByte) else {
      return append(id, byteCount: byteCount)
    }
    return found.byteCount == byteCount ? found.start : nil
  }

  /// In a span, since an `InlineArray` is copied for each octet that is read (Swift 6.3).
  private static func find(
    _ id: UInt8, in octets: Span<UInt8>, upTo end: Int, _ isTwoByte: Bool
  ) -> (start: Int, byteCount: Int)? {
    var position = headCount
    while position < end {
      let first = octets[position]
      let (present, start) = isTwoByte ? (first, position + 2) : (first >> 4, position + 1)
      let byteCount = isTwoByte ? Int(octets[position + 1]) : Int(first & 0x0F) + 1
      if present == id { return (start, byteCount) }
      position = start + byteCount
    }
    return nil
  }

  private mutating func append(_ id: UInt8, byteCount: Int) -> Int? {
    let valueCount = end - Self.headCount - elementHeadCount * elementCount
    guard valueCount + 2 * (elementCount + 1) + byteCount <= Self.capacity else { return nil }
    if id > 14 || !(1...16).contains(byteCount), !isTwoByte { widen() }
    writeElementHead(id, byteCount: byteCount)
    let start = end
    end += byteCount
    elementCount += 1
    writeHead()
    return start
  }

  private mutating func writeElementHead(_ id: UInt8, byteCount: Int) {
    if isTwoByte {
      octets[end] = id
      octets[end + 1] = UInt8(truncatingIfNeeded: byteCount)
    } else {
      octets[end] = id << 4 | UInt8(truncatingIfNeeded: byteCount - 1)
    }
    end += elementHeadCount
  }

  private mutating func writeHead() {
    let words = (end - Self.headCount + 3) / 4
    (octets[0], octets[1]) = isTwoByte ? (0x10, 0x00) : (0xBE, 0xDE)
    (octets[2], octets[3]) = (0, UInt8(truncatingIfNeeded: words))
  }

  /// Turns the elements' heads into those of the two-byte form.
  private mutating func widen() {
    let narrow = self
    self = RTPHeaderExtensionBlock()
    isTwoByte = true
    var position = Self.headCount
    while position < narrow.end {
      let head = narrow.octets[position]
      let length = Int(head & 0x0F) + 1
      guard let start = append(head >> 4, byteCount: length) else { return }
      for index in 0..<length { octets[start + index] = narrow.octets[position + 1 + index] }
      position += 1 + length
    }
  }
}

extension RTPHeader {
  /// Octets that `write(to:extensions:)` writes.
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
