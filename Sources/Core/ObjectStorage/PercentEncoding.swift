extension StringProtocol {
  /// All octets but the unreserved (RFC 3986 §2.3) as `%XX`, as Signature Version 4 requires for names and values.
  public var percentEncoded: String { percentEncoded(keeping: "") }

  /// The same for a path, whose slashes stay.
  public var percentEncodedPath: String { percentEncoded(keeping: "/") }

  private func percentEncoded(keeping kept: String) -> String {
    var encoded: [UInt8] = []
    for byte in utf8 {
      if byte.isUnreserved || kept.utf8.contains(byte) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}

extension UInt8 {
  fileprivate var isUnreserved: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: false
    }
  }
}
