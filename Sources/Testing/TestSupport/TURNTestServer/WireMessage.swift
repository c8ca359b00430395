import MediaCore
import TransportCrypto

/// A STUN message in arrays, read and written apart from the code under test.
struct WireMessage {
  var type: UInt16
  /// 12 octets.
  var id: [UInt8]
  var attributes: [(type: UInt16, value: [UInt8])] = []
  /// The octets that MESSAGE-INTEGRITY covers, their length counting it.
  private(set) var protected: [UInt8] = []

  init(type: UInt16, id: [UInt8]) {
    self.type = type
    self.id = id
  }

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 20, bytes[0] < 0x40, Array(bytes[4..<8]) == [0x21, 0x12, 0xA4, 0x42],
      bytes.count == 20 + bytes.word(at: 2)
    else { return nil }
    self.init(type: UInt16(bytes.word(at: 0)), id: Array(bytes[8..<20]))
    var offset = 20
    while offset + 4 <= bytes.count {
      let length = bytes.word(at: offset + 2)
      guard offset + 4 + length <= bytes.count else { return nil }
      let attribute = UInt16(bytes.word(at: offset))
      if attribute == Wire.integrity {
        protected = Array(bytes[..<offset])
        protected.setWord(offset + 24 - 20, at: 2)
      }
      attributes.append((attribute, Array(bytes[offset + 4..<offset + 4 + length])))
      offset += 4 + (length + 3) / 4 * 4
    }
  }

  subscript(_ type: UInt16) -> [UInt8]? { attributes.first { $0.type == type }?.value }

  func isSigned(with key: [UInt8], _ crypto: any CryptoPrimitives) -> Bool {
    !protected.isEmpty && self[Wire.integrity] == Wire.hmac(key, protected, crypto)
  }

  /// - Parameter key: signs the message.
  func bytes(key: [UInt8]? = nil, _ crypto: any CryptoPrimitives) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(type >> 8), UInt8(type & 255), 0, 0, 0x21, 0x12, 0xA4, 0x42] + id
    for (type, value) in attributes { bytes += Wire.attribute(type, value) }
    if let key {
      bytes.setWord(bytes.count + 24 - 20, at: 2)
      bytes += Wire.attribute(Wire.integrity, Wire.hmac(key, bytes, crypto))
    }
    bytes.setWord(bytes.count - 20, at: 2)
    return bytes
  }
}

/// Numbers and codings of RFC 8489 and RFC 8656.
enum Wire {
  static let integrity: UInt16 = 0x0008
  static let username: UInt16 = 0x0006
  static let errorCode: UInt16 = 0x0009
  static let channelNumber: UInt16 = 0x000C
  static let lifetime: UInt16 = 0x000D
  static let peerAddress: UInt16 = 0x0012
  static let data: UInt16 = 0x0013
  static let realm: UInt16 = 0x0014
  static let nonce: UInt16 = 0x0015
  static let relayedAddress: UInt16 = 0x0016
  static let requestedFamily: UInt16 = 0x0017
  static let requestedTransport: UInt16 = 0x0019
  static let mappedAddress: UInt16 = 0x0020

  static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    let head = [UInt8(type >> 8), UInt8(type & 255), UInt8(value.count >> 8), UInt8(value.count & 255)]
    return head + value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
  }

  static func hmac(_ key: [UInt8], _ message: [UInt8], _ crypto: any CryptoPrimitives) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 20)
    var span = digest.mutableSpan
    var output = span.mutableBytes
    crypto.hmacSHA1(key: key.span.bytes, message: message.span.bytes, into: &output)
    return digest
  }

  static func md5(_ text: String, _ crypto: any CryptoPrimitives) -> [UInt8] {
    let octets = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: 16)
    var span = digest.mutableSpan
    var output = span.mutableBytes
    crypto.md5(octets.span.bytes, into: &output)
    return digest
  }

  /// Family, port and address, masked with the cookie and the transaction id.
  static func coded(_ address: TransportAddress, id: [UInt8]) -> [UInt8] {
    let mask: [UInt8] = [0x21, 0x12, 0xA4, 0x42] + id
    let words = (0..<16).map {
      UInt8(truncatingIfNeeded: ($0 < 8 ? address.high : address.low) >> (56 - 8 * UInt64($0 % 8)))
    }
    let octets = words.prefix(address.isIPv6 ? 16 : 4)
    let port = [UInt8(address.port >> 8) ^ mask[0], UInt8(address.port & 255) ^ mask[1]]
    return [0, address.isIPv6 ? 2 : 1] + port + zip(octets, mask).map { $0 ^ $1 }
  }

  static func address(_ value: [UInt8], id: [UInt8]) -> TransportAddress? {
    guard value.count == 8 || value.count == 20 else { return nil }
    let mask: [UInt8] = [0x21, 0x12, 0xA4, 0x42] + id
    let port = UInt16(value[2] ^ mask[0]) << 8 | UInt16(value[3] ^ mask[1])
    let octets = zip(value.dropFirst(4), mask).map { $0 ^ $1 }
    func number(_ range: Range<Int>) -> UInt64 { octets[range].reduce(0) { $0 << 8 | UInt64($1) } }
    if value.count == 8 { return TransportAddress(ipv4: UInt32(number(0..<4)), port: port) }
    return TransportAddress(ipv6: number(0..<8), number(8..<16), port: port)
  }
}

extension [UInt8] {
  func word(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

  mutating func setWord(_ value: Int, at offset: Int) {
    self[offset] = UInt8(value >> 8)
    self[offset + 1] = UInt8(value & 255)
  }
}
