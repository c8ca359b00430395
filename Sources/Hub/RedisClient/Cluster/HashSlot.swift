/// Which of a cluster's slots a key is in (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec).
enum HashSlot {
  static let count = 16_384

  /// By the hash tag, the first part in braces that is not empty, if the key has one.
  static func of(_ key: some BidirectionalCollection<UInt8>) -> Int {
    if let open = key.firstIndex(of: UInt8(ascii: "{")) {
      let rest = key[key.index(after: open)...]
      if let close = rest.firstIndex(of: UInt8(ascii: "}")), close > rest.startIndex {
        return Int(checksum(rest[..<close])) % count
      }
    }
    return Int(checksum(key)) % count
  }

  /// CRC16 with the polynomial 0x1021, from 0 (XMODEM).
  private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(0) { checksum, byte in
      (0..<8).reduce(checksum ^ UInt16(byte) << 8) { checksum, _ in
        checksum & 0x8000 != 0 ? checksum << 1 ^ 0x1021 : checksum << 1
      }
    }
  }
}

extension RedisCommand {
  /// The slot of the command's key; nil for a command without key.
  var slot: Int? {
    guard let keyPosition, keyPosition < count else { return nil }
    var rest = body[...]
    for _ in 0..<keyPosition { rest = Self.split(rest).rest }
    return HashSlot.of(Self.split(rest).first)
  }

  /// The contents of the first bulk string, and what follows it.
  private static func split(_ body: ArraySlice<UInt8>) -> (first: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
    let digits = body.dropFirst().prefix { $0 != UInt8(ascii: "\r") }
    let length = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    let contents = body.dropFirst(digits.count + 3)
    return (contents.prefix(length), contents.dropFirst(length + 2))
  }
}
