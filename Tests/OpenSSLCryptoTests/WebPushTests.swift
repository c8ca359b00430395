import OpenSSLCrypto
import SessionToken
import Testing
import TransportCrypto

@Suite struct WebPushTests {
  private let crypto = OpenSSLCrypto()

  private func octets(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text.utf8)) }

  // RFC 8291 appendix A.
  private let receiverKey =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
  private let senderKey = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
  private let senderPublicKey =
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
  private let authentication = "BTBZMqHH6r4Tts7J_aSIgg"

  @Test func rfc8291AppendixA() throws {
    let key = try P256Key(privateKey: octets(senderKey))
    #expect(try key.publicKey == octets(senderPublicKey))
    #expect(
      try key.sharedSecret(with: octets(receiverKey)) == octets("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"))
    let encryption = try #require(
      PushEncryption(publicKey: octets(receiverKey), authentication: octets(authentication)))
    let content = try encryption.encrypt(
      Array("When I grow up, I want to be a watermelon".utf8), by: key, salt: octets("DGv6ra1nlYgDCS1FRnbzlw"))
    #expect(
      Base64URL.encode(content)
        == """
        DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A\
        _yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
        """)
  }

  /// RFC 8188 §3.1.
  @Test func rfc8188Example() throws {
    let content = EncryptedContent(
      secret: try octets("yqdlZ-tYemfogSmv7Ws5PQ"), salt: try octets("I1BsxtFttlv3u_Oo94xnmw"), keyID: [])
    #expect(
      Base64URL.encode(try content.encrypt(Array("I am the walrus".utf8)))
        == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
  }

  @Test func oneRecordHasABound() throws {
    let content = EncryptedContent(
      secret: [UInt8](repeating: 1, count: 16), salt: [UInt8](repeating: 2, count: 16), keyID: [])
    let longest = EncryptedContent.recordSize - 17
    #expect(try content.encrypt([UInt8](repeating: 0, count: longest)).count == EncryptedContent.recordSize + 21)
    #expect(throws: TransportCryptoError.self) { try content.encrypt([UInt8](repeating: 0, count: longest + 1)) }
  }

  /// What lies between two sizes cannot be told apart, and the whole is less than push services take (RFC 8030 §7.2).
  @Test func messagesArePadded() throws {
    let encryption = try #require(
      PushEncryption(publicKey: octets(receiverKey), authentication: octets(authentication)))
    let sizes = try [0, 500, 1_023, 1_024, 2_047, 2_048, PushEncryption.longestMessage].map {
      try encryption.encrypt([UInt8](repeating: 65, count: $0)).count
    }
    let overhead = 21 + P256Key.publicKeySize + 16
    #expect(sizes == [1_024, 1_024, 1_024, 2_048, 2_048, 3_072, 3_072].map { $0 + overhead })
    #expect(throws: TransportCryptoError.self) {
      try encryption.encrypt([UInt8](repeating: 65, count: PushEncryption.longestMessage + 1))
    }
  }

  @Test func keysThatAreNoneAreRefused() throws {
    let (key, secret) = (try octets(receiverKey), try octets(authentication))
    var wrong = key
    wrong[40] ^= 1
    for candidate in [wrong, [], Array(key.dropLast()), [2] + key.dropFirst(), [UInt8](repeating: 0, count: 65)] {
      #expect(PushEncryption(publicKey: candidate, authentication: secret) == nil)
      #expect(throws: TransportCryptoError.self) { try P256Key().sharedSecret(with: candidate) }
    }
    #expect(PushEncryption(publicKey: key, authentication: Array(secret.dropLast())) == nil)
    for octet: UInt8 in [0, 255] {
      #expect(throws: TransportCryptoError.self) {
        try P256Key(privateKey: [UInt8](repeating: octet, count: P256Key.privateKeySize))
      }
    }
  }

  @Test func aKeyIsReadAgain() throws {
    let key = try P256Key()
    let copy = try P256Key(privateKey: key.privateKeyOctets())
    let other = try P256Key()
    #expect(copy.publicKey == key.publicKey)
    #expect(try copy.sharedSecret(with: other.publicKey) == other.sharedSecret(with: key.publicKey))
    #expect(try key.signature(of: [1, 2, 3]).count == 64)
  }

  @Test func whatWasChangedIsNotOpened() throws {
    let (key, nonce) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 12))
    var sealed = try crypto.sealAES128GCM(Array("secret".utf8), key: key, nonce: nonce)
    #expect(sealed.count == 22)
    #expect(crypto.openAES128GCM(sealed, key: key, nonce: nonce) == Array("secret".utf8))
    sealed[3] ^= 1
    #expect(crypto.openAES128GCM(sealed, key: key, nonce: nonce) == nil)
    #expect(crypto.openAES128GCM([], key: key, nonce: nonce) == nil)
  }

  /// RFC 5869 A.1, its first 32 octets.
  @Test func hkdf() {
    let key = crypto.hkdfSHA256(
      secret: [UInt8](repeating: 0x0B, count: 22), salt: Array(0...0x0C), info: Array(0xF0...0xF9), byteCount: 32)
    let hex = key.map { String(0x100 | UInt16($0), radix: 16).dropFirst() }.joined()
    #expect(hex == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
  }
}
