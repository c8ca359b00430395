import MediaCore

/// Where one header extension element lies in its packet (RFC 8285).
public struct RTPHeaderExtension: Sendable, Hashable {
  /// 1 to 14 in the one-byte form, 1 to 255 in the two-byte form.
  public var id: UInt8
  /// Octets of the element's data, without its head, from the packet's start.
  public var range: Range<Int>

  /// Takes the values unchecked.
  public init(id: UInt8, range: Range<Int>) {
    self.id = id
    self.range = range
  }
}

/// Walks a packet's header extension elements in order, one call an element.
///
/// Malformed content ends the walk; RFC 8285 §4.2 asks receivers to ignore the rest.
public struct RTPHeaderExtensionCursor: Sendable {
  private let end: Int
  private var position: Int
  private let isTwoByte: Bool

  /// Begins before the first element; a header without extension has none.
  public init(_ header: RTPHeader) {
    // The low four bits of the two-byte form's profile belong to the application.
    isTwoByte = header.extensionProfile & 0xFFF0 == 0x1000
    let isKnown = isTwoByte || header.extensionProfile == 0xBEDE
    position = header.extensionRange.lowerBound
    end = isKnown ? header.extensionRange.upperBound : position
  }

  /// Returns the next element of the packet that the header was parsed from.
  public mutating func next(in packet: RawSpan) -> RTPHeaderExtension? {
    guard end <= packet.byteCount else { return nil }
    let bytes = ByteReader(packet)
    while position < end, let first = try? bytes.peekUInt8(ahead: position) {
      if first == 0 {
        position += 1
        continue
      }
      return isTwoByte ? twoByteElement(id: first, in: bytes) : oneByteElement(first)
    }
    return nil
  }

  private mutating func oneByteElement(_ first: UInt8) -> RTPHeaderExtension? {
    let id = first >> 4
    // Id 15 is reserved and ends the processing (RFC 8285 §4.2); id 0 with a length is no padding.
    guard id != 15, id != 0 else { return finish() }
    return element(id: id, start: position + 1, byteCount: Int(first & 0x0F) + 1)
  }

  private mutating func twoByteElement(id: UInt8, in bytes: borrowing ByteReader) -> RTPHeaderExtension? {
    guard position + 2 <= end, let byteCount = try? bytes.peekUInt8(ahead: position + 1) else { return finish() }
    return element(id: id, start: position + 2, byteCount: Int(byteCount))
  }

  private mutating func element(id: UInt8, start: Int, byteCount: Int) -> RTPHeaderExtension? {
    guard start + byteCount <= end else { return finish() }
    position = start + byteCount
    return RTPHeaderExtension(id: id, range: start..<position)
  }

  private mutating func finish() -> RTPHeaderExtension? {
    position = end
    return nil
  }
}

extension RTPHeader {
  /// Finds the extension element `id` in the packet that this header was parsed from.
  public func extensionElement(_ id: UInt8, in packet: RawSpan) -> Range<Int>? {
    guard !extensionRange.isEmpty else { return nil }
    var cursor = RTPHeaderExtensionCursor(self)
    while let element = cursor.next(in: packet) {
      if element.id == id { return element.range }
    }
    return nil
  }

  /// The contributing source at `index` of the packet that this header was parsed from.
  public func csrc(at index: Int, in packet: RawSpan) -> SSRC? {
    guard (0..<csrcCount).contains(index) else { return nil }
    var reader = ByteReader(packet)
    guard (try? reader.skip(12 + 4 * index)) != nil, let value = try? reader.readUInt32() else { return nil }
    return SSRC(value)
  }
}
