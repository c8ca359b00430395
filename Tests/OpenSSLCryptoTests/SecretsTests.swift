import OpenSSLCrypto
import SessionToken
import Testing
import TransportCrypto

@Suite struct SecretsTests {
  private let crypto = OpenSSLCrypto()

  private func hex(_ octets: [UInt8]) -> String {
    octets.map { String(0x100 | UInt16($0), radix: 16).dropFirst() }.joined()
  }

  /// The first vector of FIPS 180-2 §B.1, and the digest of nothing.
  @Test func sha256() {
    #expect(
      hex(crypto.sha256(Array("abc".utf8))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(hex(crypto.sha256([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  /// The second and third vector of RFC 4231 §4, and Python's `hmac.new(b"", b"", "sha256")`.
  @Test func hmacSHA256() {
    #expect(
      hex(crypto.hmacSHA256(key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8)))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      hex(crypto.hmacSHA256(key: [UInt8](repeating: 0xAA, count: 20), message: [UInt8](repeating: 0xDD, count: 50)))
        == "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
    #expect(
      hex(crypto.hmacSHA256(key: [], message: []))
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }

  /// The second vector of RFC 2202 §3.
  @Test func hmacSHA1() {
    #expect(
      hex(crypto.hmacSHA1(key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8)))
        == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
  }

  /// The first three vectors of RFC 7914 §12, of 64 octets each, by their first 32.
  @Test func scrypt() throws {
    for (password, salt, rounds, blockSize, parallelism, expected) in [
      ("", "", 16, 1, 1, "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"),
      ("password", "NaCl", 1_024, 8, 16, "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"),
      (
        "pleaseletmein", "SodiumChloride", 16_384, 8, 1,
        "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
      ),
    ] as [(String, String, UInt64, UInt64, UInt64, String)] {
      let key = try crypto.scrypt(
        Array(password.utf8), salt: Array(salt.utf8), rounds: rounds, blockSize: blockSize, parallelism: parallelism,
        byteCount: 64)
      #expect(hex(Array(key[..<32])) == expected)
    }
  }

  @Test func scryptRefusesRoundsThatAreNoPowerOfTwo() {
    #expect(throws: TransportCryptoError.self) {
      try crypto.scrypt([1], salt: [2], rounds: 15, blockSize: 1, parallelism: 1, byteCount: 32)
    }
  }

  /// The key of RFC 8037 §A.1 and §A.2.
  @Test func aPrivateKeyHasItsPublicHalf() throws {
    let octets = try #require(Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A".utf8))
    let key = try Ed25519Key(privateKey: octets)
    #expect(Base64URL.encode(key.publicKey) == "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    #expect(try key.privateKeyOctets() == octets)
    #expect(throws: TransportCryptoError.self) { try Ed25519Key(privateKey: Array(octets.dropLast())) }
  }

  @Test func aSignedTokenIsVerifiedByItsKeyAlone() throws {
    let (key, other) = (try Ed25519Key(), try Ed25519Key())
    let claims = Array(#"{"sub":"anna"}"#.utf8)
    let text = try SignedToken.sign(claims, keyID: "k1", with: key)
    let token = try SignedToken(text, maximumBytes: 400)
    #expect(token.keyID == "k1")
    #expect(try token.payload(verifiedWith: key.publicKey, crypto) == claims)
    #expect(throws: SessionTokenError.badSignature) { try token.payload(verifiedWith: other.publicKey, crypto) }
    #expect(throws: SessionTokenError.tooLong) { try SignedToken(text, maximumBytes: text.utf8.count - 1) }
  }
}
