/// base64 with padding (RFC 4648 §4).
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  /// Octets that make a line of 76 characters (RFC 2045 §6.8).
  private static let lineLength = 57

  static func text(_ octets: some Collection<UInt8>) -> String {
    var (text, rest) = ([UInt8](), octets[...])
    text.reserveCapacity(octets.count / 3 * 4 + 4)
    while !rest.isEmpty {
      let group = rest.prefix(3)
      rest = rest.dropFirst(3)
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for place in 0...3 {
        let value = Int(truncatingIfNeeded: bits >> UInt32(18 - 6 * place) & 63)
        text.append(place <= group.count ? alphabet[value] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func lines(_ octets: [UInt8]) -> [String] {
    stride(from: 0, to: octets.count, by: lineLength).map { text(octets[$0..<min($0 + lineLength, octets.count)]) }
  }
}
