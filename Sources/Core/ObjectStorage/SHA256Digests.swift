public import TransportCrypto

extension SHA256Hashing {
  /// The digest of one piece.
  public func sha256(_ octets: [UInt8]) -> [UInt8] {
    let hash = makeSHA256()
    unsafe hash.update(octets.span.bytes)
    return hash.finish()
  }

  /// HMAC-SHA256 (RFC 2104).
  public func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    let blockSize = 64
    var block = key.count > blockSize ? sha256(key) : key
    block += [UInt8](repeating: 0, count: blockSize - block.count)
    return sha256(block.map { $0 ^ 0x5C } + sha256(block.map { $0 ^ 0x36 } + message))
  }
}

extension [UInt8] {
  /// Two small letters or digits an octet.
  public var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// RFC 4648 §4, with padding.
  public var base64: String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: count, by: 3) {
      let octets = self[start..<Swift.min(start + 3, count)]
      let bits = octets.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - octets.count))
      for position in 0..<4 {
        let isPadding = position > octets.count
        text.append(
          isPadding ? UInt8(ascii: "=") : alphabet[Int(truncatingIfNeeded: bits >> UInt32(18 - 6 * position)) & 63])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
