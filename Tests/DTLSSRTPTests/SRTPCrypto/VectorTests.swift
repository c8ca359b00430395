import RTP
import Testing
import TransportCrypto

@testable import DTLSSRTP

/// The test vectors of RFC 3711 Appendix B and RFC 7714 §16 and §17.
@Suite struct VectorTests {
  private static let key128 = hex("000102030405060708090a0b0c0d0e0f")
  private static let key256 = key128 + hex("101112131415161718191a1b1c1d1e1f")
  private static let salt = Array("Quid pro quo".utf8)
  private static let rtp = hex("8040f17b8041f8d35501a0b2") + Array("Gallia est omnis divisa in partes tres".utf8)
  private static let rtcp = hex(
    "81c8000d4d6172734e5450314e545032525450200000042a0000e9304c756e61deadbeefdeadbeefdeadbeefdeadbeefdeadbeef")

  @Test func rfc3711CounterModeKeystream() throws {
    let cipher = try CounterModeCipher(key: hex("2B7E151628AED2A6ABF7158809CF4F3C"))
    let vector = InitializationVector.counterMode(
      salt: InitializationVector.salt(hex("F0F1F2F3F4F5F6F7F8F9FAFBFCFD")), ssrc: 0, index: 0)
    let keystream = try cipher.keystream(from: vector, count: 0xFF02 * 16)
    #expect(
      Array(keystream.prefix(48))
        == hex(
          "E03EAD0935C95E80E166B16DD92B4EB4D23513162B02D0F72A43A2FE4A5F97AB41E95B3BB0A2E8DD477901E4FCA894C0"))
    #expect(
      Array(keystream.suffix(48))
        == hex(
          "EC8CDF7398607CB0F2D21675EA9EA1E4362B7C3C6773516318A077D7FC5073AE6A2CC3787889374FBEB4C81B17BA6C44"))
  }

  @Test func rfc3711KeyDerivation() throws {
    let master = hex("E1F97A0D3E018BE0D64FA32C06DE41390EC675AD498AFEEBB6960B3AABE6")
    let keys = try SessionKeys(profile: .aes128CMHMACSHA1_80, master: master) { key, vector, count in
      try CounterModeCipher(key: key).keystream(from: vector, count: count)
    }
    let rtp = try #require(keys).rtp
    #expect(rtp.encryption == hex("C61E7A93744F39EE10734AFE3FF7A087"))
    #expect(rtp.salt == hex("30CBBC08863D8C85D49DB34A9AE1"))
    #expect(rtp.authentication == hex("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
  }

  static let sealedRTP = [
    (
      key128,
      "f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833899d7f27beb16a9152cf765ee4390cce"
    ),
    (
      key256,
      "32b1de78a822fe12ef9f78fa332e33aab18012389a58e2f3b50b2a0276ffae0f1ba63799b87b7aa3db36dfffd6b0f9bb7878d7a76c13"
    ),
  ]

  @Test(arguments: sealedRTP)
  func rfc7714Section16(key: [UInt8], sealed: String) throws {
    let packet = Array(Self.rtp.prefix(12)) + hex(sealed)
    let (seal, open) = try transforms(key)
    let made = change(Self.rtp) {
      seal.sealRTP(&$0, header: 12, length: Self.rtp.count, ssrc: 0x5501_A0B2, index: 0xF17B)
    }
    #expect(Array(made.prefix(packet.count)) == packet)
    let opened = change(packet) {
      open.openRTP(&$0, header: 12, length: packet.count, ssrc: 0x5501_A0B2, index: 0xF17B)
    }
    #expect(Array(opened.prefix(Self.rtp.count)) == Self.rtp)
  }

  static let sealedRTCP = [
    (
      key128,
      "63e94885dcdab67ca727d7662f6b7e997ff5c0f76c06f32dc676a5f1730d6fda4ce09b4686303ded0bb9275bc84aa45896cf4d2fc5abf872"
        + "45d9eade800005d4"
    ),
    (
      key256,
      "d50ae4d1f5ce5d304ba297e47d470c282c3ece5dbffe0a50a2eaa5c1110555be8415f658c61de0476f1b6fad1d1eb30c4446839f57ff6f6c"
        + "b26ac3be800005d4"
    ),
  ]

  @Test(arguments: sealedRTCP)
  func rfc7714Section17(key: [UInt8], sealed: String) throws {
    let packet = Array(Self.rtcp.prefix(8)) + hex(sealed)
    let (seal, open) = try transforms(key)
    let made = change(Self.rtcp) {
      seal.sealRTCP(&$0, length: Self.rtcp.count, ssrc: 0x4D61_7273, index: 0x5D4)
    }
    #expect(Array(made.prefix(packet.count)) == packet)
    let opened = change(packet) {
      open.openRTCP(&$0, length: packet.count, ssrc: 0x4D61_7273, word: SRTCPIndexWord(value: 0x8000_05D4))
    }
    #expect(Array(opened.prefix(Self.rtcp.count)) == Self.rtcp)
  }

  private func transforms(_ key: [UInt8]) throws -> (GCMTransform, GCMTransform) {
    let keys = SessionKeys.Set(encryption: key, salt: Self.salt, authentication: [])
    return (try GCMTransform(keys, .seal), try GCMTransform(keys, .open))
  }

  /// The octets after a change that has to succeed.
  private func change(_ packet: [UInt8], _ body: (inout MutableRawSpan) -> Bool) -> [UInt8] {
    var storage = packet + [UInt8](repeating: 0, count: maximumTrailerLength)
    var span = storage.mutableSpan
    var octets = span.mutableBytes
    let isDone = body(&octets)
    #expect(isDone)
    return storage
  }
}

private func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
