/// Finds in the bytes of a connection where a request's head, or a body in chunks, may end: behind an empty line.
///
/// Both end in one and nowhere else in a head (RFC 9112, sections 2.1 and 7.1), whether its lines end in CR LF or in LF
/// alone. Data in chunks may contain empty lines: who cuts there hands them on in more pieces, and reads nothing wrongly.
/// Bytes may come in any pieces.
public struct RequestBoundary: Sendable {
  /// Whether there was anything but line ends since the last boundary: empty lines before a request end nothing.
  @usableFromInline var hasText = false
  @usableFromInline var isLineEmpty = false

  @inlinable
  public init() {}

  /// How many of `bytes` there are up to the first boundary, it included; nil when it is not among them.
  ///
  /// Inlined, since it sees every byte: of a generic function in another module each would cost a call or two.
  @inlinable
  public mutating func length(in bytes: some Sequence<UInt8>) -> Int? {
    var count = 0
    for byte in bytes {
      count += 1
      switch byte {
      case 0x0A where hasText && isLineEmpty:
        self = RequestBoundary()
        return count
      case 0x0A: isLineEmpty = true
      case 0x0D: break
      default:
        hasText = true
        isLineEmpty = false
      }
    }
    return nil
  }
}
