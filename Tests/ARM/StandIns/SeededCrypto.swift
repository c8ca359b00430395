public import TransportCrypto

/// SHA-1 (RFC 3174), MD5 (RFC 1321) and numbers that repeat, without a library: slow, and for vectors and scenarios alone.
public final class SeededCrypto: CryptoPrimitives {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public func hmacSHA1(key: RawSpan, message: RawSpan, into digest: inout MutableRawSpan) {
    var block = octets(key)
    if block.count > 64 { block = sha1(block) }
    block += [UInt8](repeating: 0, count: 64 - block.count)
    let inner = sha1(block.map { $0 ^ 0x36 } + octets(message))
    store(sha1(block.map { $0 ^ 0x5C } + inner), in: &digest)
  }

  public func md5(_ message: RawSpan, into digest: inout MutableRawSpan) {
    store(Self.md5(octets(message)), in: &digest)
  }

  /// SplitMix64.
  public func randomUInt64() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  private func octets(_ span: RawSpan) -> [UInt8] { unsafe span.withUnsafeBytes { unsafe Array($0) } }

  private func store(_ octets: [UInt8], in digest: inout MutableRawSpan) {
    unsafe digest.withUnsafeMutableBytes { target in
      for index in octets.indices { unsafe target[index] = octets[index] }
    }
  }

  private func sha1(_ message: [UInt8]) -> [UInt8] {
    var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    let padded = Self.padded(message, isBigEndian: true)
    for start in stride(from: 0, to: padded.count, by: 64) { Self.sha1Block(padded[start..<start + 64], &hash) }
    return hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
  }

  private static func sha1Block(_ block: ArraySlice<UInt8>, _ hash: inout [UInt32]) {
    var words = [UInt32](repeating: 0, count: 80)
    for (index, octet) in block.enumerated() { words[index / 4] = words[index / 4] << 8 | UInt32(octet) }
    for index in 16..<80 {
      words[index] = rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
    }
    var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
    for index in 0..<80 {
      let (mixed, constant): (UInt32, UInt32) =
        switch index / 20 {
        case 0: (b & c | ~b & d, 0x5A82_7999)
        case 1: (b ^ c ^ d, 0x6ED9_EBA1)
        case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      (a, b, c, d, e) = (rotated(a, 5) &+ mixed &+ e &+ constant &+ words[index], a, rotated(b, 30), c, d)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { hash[index] &+= word }
  }

  private static let md5Shifts: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
  /// The integer parts of 2^32 · |sin(n)|, n in radians from 1 on.
  private static let md5Constants: [UInt32] = [
    0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613, 0xFD46_9501,
    0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193, 0xA679_438E, 0x49B4_0821,
    0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D, 0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8,
    0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED, 0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A,
    0xFFFA_3942, 0x8771_F681, 0x6D9D_6122, 0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70,
    0x289B_7EC6, 0xEAA1_27FA, 0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665,
    0xF429_2244, 0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
    0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB, 0xEB86_D391,
  ]

  private static func md5(_ message: [UInt8]) -> [UInt8] {
    var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
    let padded = padded(message, isBigEndian: false)
    for start in stride(from: 0, to: padded.count, by: 64) { md5Block(padded[start..<start + 64], &hash) }
    return hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
  }

  private static func md5Block(_ block: ArraySlice<UInt8>, _ hash: inout [UInt32]) {
    var words = [UInt32](repeating: 0, count: 16)
    for (index, octet) in block.enumerated() { words[index / 4] |= UInt32(octet) << UInt32(index % 4 * 8) }
    var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
    for index in 0..<64 {
      let (mixed, place): (UInt32, Int) =
        switch index / 16 {
        case 0: (b & c | ~b & d, index)
        case 1: (d & b | ~d & c, (5 * index + 1) % 16)
        case 2: (b ^ c ^ d, (3 * index + 5) % 16)
        default: (c ^ (b | ~d), 7 * index % 16)
        }
      let sum = a &+ mixed &+ md5Constants[index] &+ words[place]
      (a, b, c, d) = (d, b &+ rotated(sum, md5Shifts[index / 16 * 4 + index % 4]), b, c)
    }
    for (index, word) in [a, b, c, d].enumerated() { hash[index] &+= word }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

  private static func padded(_ message: [UInt8], isBigEndian: Bool) -> [UInt8] {
    let length = UInt64(message.count) * 8
    let zeros = (119 - message.count % 64) % 64
    let end = (0..<8).map { UInt8(truncatingIfNeeded: length >> UInt64(8 * (isBigEndian ? 7 - $0 : $0))) }
    return message + [0x80] + [UInt8](repeating: 0, count: zeros) + end
  }
}
