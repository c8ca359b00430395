import OpenSSLCrypto
import Testing

@Suite struct OpenSSLCryptoTests {
  private func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var storage = [UInt8](repeating: 0, count: 24)
    var span = storage.mutableSpan
    var digest = span.mutableBytes
    OpenSSLCrypto().hmacSHA1(key: key.span.bytes, message: message.span.bytes, into: &digest)
    return storage
  }

  private func bytes(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).map { offset in
      let start = text.index(text.startIndex, offsetBy: offset)
      return UInt8(text[start..<text.index(start, offsetBy: 2)], radix: 16)!
    }
  }

  /// The vectors of RFC 2202 §3; the four octets after the digest stay as they are.
  @Test func hmacSHA1OfRFC2202() {
    let zeros: [UInt8] = [0, 0, 0, 0]
    #expect(
      hmac(key: [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8))
        == bytes("b617318655057264e28bc0b6fb378c8ef146be00") + zeros)
    #expect(
      hmac(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        == bytes("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79") + zeros)
    #expect(
      hmac(
        key: [UInt8](repeating: 0xAA, count: 80),
        Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        == bytes("aa4ae5e15272d00e95705637ce8a3b55ed402112") + zeros)
  }

  @Test func emptyKeyAndMessage() {
    #expect(hmac(key: [], []) == bytes("fbdb1d1b18aa6c08324b7d64b71fb76370690e1d") + [0, 0, 0, 0])
  }

  /// The vectors of RFC 1321 §A.5.
  @Test func md5OfRFC1321() {
    #expect(md5([]) == bytes("d41d8cd98f00b204e9800998ecf8427e"))
    #expect(md5(Array("abc".utf8)) == bytes("900150983cd24fb0d6963f7d28e17f72"))
    #expect(md5(Array("message digest".utf8)) == bytes("f96b697d7cb7938d525a2f31aaf161d0"))
  }

  private func md5(_ message: [UInt8]) -> [UInt8] {
    var storage = [UInt8](repeating: 0, count: 16)
    var span = storage.mutableSpan
    var digest = span.mutableBytes
    OpenSSLCrypto().md5(message.span.bytes, into: &digest)
    return storage
  }

  @Test func randomNumbersDiffer() {
    let crypto = OpenSSLCrypto()
    let numbers = Set((0..<1_000).map { _ in crypto.randomUInt64() })
    #expect(numbers.count == 1_000)
    // Each bit is set about half the time: 500 ± 8 standard deviations.
    for bit in 0..<64 {
      let ones = numbers.count { $0 >> bit & 1 == 1 }
      #expect((374...626).contains(ones))
    }
  }
}
