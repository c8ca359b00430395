import MediaCore

/// Bytes are not the EBML that they should be.
enum EBMLError: Error, Equatable {
  /// The bytes end within an element.
  case unexpectedEnd
  /// An element ID of more than four bytes.
  case invalidID
  /// A size field of more than eight bytes, or an unknown size where a known one is needed.
  case invalidSize
}

/// An element's ID and the number of bytes of its content; `nil` when the size is unknown.
struct ElementHeader: Equatable {
  var id: ElementID
  var size: UInt64?
}

extension ByteReader {
  /// Reads an element's ID and size (RFC 8794 §5, §6), not its content.
  mutating func readElementHeader() throws(EBMLError) -> ElementHeader {
    let id = try readElementID()
    return ElementHeader(id: id, size: try readElementSize())
  }

  private mutating func readElementID() throws(EBMLError) -> ElementID {
    guard let first = try? peekUInt8() else { throw .unexpectedEnd }
    let width = first.leadingZeroBitCount + 1
    guard width <= 4 else { throw .invalidID }
    return ElementID(rawValue: UInt32(truncatingIfNeeded: try readUnsigned(width: width)))
  }

  private mutating func readElementSize() throws(EBMLError) -> UInt64? {
    guard let first = try? peekUInt8() else { throw .unexpectedEnd }
    let width = first.leadingZeroBitCount + 1
    guard width <= 8 else { throw .invalidSize }
    let mask: UInt64 = (1 << UInt64(7 * width)) - 1
    let size = try readUnsigned(width: width) & mask
    return size == mask ? nil : size
  }

  /// Reads a big-endian number of at most eight bytes.
  mutating func readUnsigned(width: Int) throws(EBMLError) -> UInt64 {
    var value: UInt64 = 0
    for _ in 0..<width { value = value << 8 | UInt64(try readNumber(as: UInt8.self)) }
    return value
  }

  /// Reads a big-endian number of the type's width.
  mutating func readNumber<Number: FixedWidthInteger>(as type: Number.Type = Number.self) throws(EBMLError) -> Number {
    var value: Number = 0
    for _ in 0..<Number.bitWidth / 8 {
      guard let byte = try? readUInt8() else { throw .unexpectedEnd }
      value = value << 8 | Number(truncatingIfNeeded: byte)
    }
    return value
  }

  /// Skips content that is not needed.
  mutating func skipContent(_ byteCount: Int) throws(EBMLError) {
    guard (try? skip(byteCount)) != nil else { throw .unexpectedEnd }
  }

  /// Reads the next element's header and checks that its content is whole; the content comes next.
  mutating func readWholeElementHeader() throws(EBMLError) -> (id: ElementID, size: Int) {
    let header = try readElementHeader()
    guard let size = header.size else { throw .invalidSize }
    guard size <= UInt64(remaining) else { throw .unexpectedEnd }
    return (header.id, Int(clamping: size))
  }
}
