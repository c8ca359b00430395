/// The few elements of DER (X.690) that the head of an encrypted message has.
enum DERWriter {
  static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, parts.flatMap(\.self)) }
  static func set(_ content: [UInt8]) -> [UInt8] { element(0x31, content) }
  static func integer(_ value: UInt8) -> [UInt8] { element(0x02, [value]) }
  static func octetString(_ octets: [UInt8]) -> [UInt8] { element(0x04, octets) }
  /// `[number] EXPLICIT`.
  static func tagged(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0xA0 | number, content) }
  static let null: [UInt8] = [0x05, 0x00]

  /// - Parameter arcs: of which the first two stand in one octet (X.690 §8.19).
  static func identifier(_ arcs: UInt32...) -> [UInt8] {
    element(0x06, [UInt8(truncatingIfNeeded: arcs[0] * 40 + arcs[1])] + arcs.dropFirst(2).flatMap { base128($0) })
  }

  static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    head(tag, byteCount: UInt64(content.count)) + content
  }

  /// Tag and length of an element whose content follows elsewhere.
  static func head(_ tag: UInt8, byteCount: UInt64) -> [UInt8] {
    guard byteCount >= 0x80 else { return [tag, UInt8(byteCount)] }
    var octets: [UInt8] = []
    var rest = byteCount
    while rest > 0 {
      octets.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    }
    return [tag, 0x80 | UInt8(octets.count)] + octets
  }

  private static func base128(_ arc: UInt32) -> [UInt8] {
    var octets = [UInt8(arc & 0x7F)]
    var rest = arc >> 7
    while rest > 0 {
      octets.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
      rest >>= 7
    }
    return octets
  }
}
