import OpenSSLCrypto
import Testing
import TransportCrypto

@testable import SessionToken

@Suite struct SignatureVerificationTests {
  struct Vector: Sendable {
    let key: String
    let message: [UInt8]
    let signature: String
  }

  /// The first three vectors of RFC 8032 §7.1.
  static let vectors = [
    Vector(
      key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: [],
      signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        + "d25bf5f0595bbe24655141438e7a100b"),
    Vector(
      key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: [0x72],
      signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
        + "387b2eaeb4302aeeb00d291612bb0c00"),
    Vector(
      key: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: [0xAF, 0x82],
      signature: "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
        + "4a7c15e9716ed28dc027beceea1ec40a"),
  ]

  @Test(arguments: vectors) func vectorsOfRFC8032(_ vector: Vector) {
    let (key, signature) = (bytes(vector.key), bytes(vector.signature))
    #expect(isValid(signature, vector.message, key))
    #expect(!isValid(signature, vector.message + [0], key))
    for bit in [0, 255, 256, 511] {
      var damaged = signature
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!isValid(damaged, vector.message, key))
    }
  }

  /// RFC 8037 §A.4 and §A.5.
  @Test func theSignatureOfRFC8037() throws {
    let key = try #require(decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
    let signature = try #require(
      decode("hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"))
    let message = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
    #expect(isValid(signature, message, key))
    #expect(!isValid(signature, message.dropLast(), key))
  }

  @Test func otherLengthsAreNoKeysAndNoSignatures() {
    let vector = Self.vectors[0]
    let (key, signature) = (bytes(vector.key), bytes(vector.signature))
    #expect(!isValid([], [], key) && !isValid(signature.dropLast(), [], key) && !isValid(signature + [0], [], key))
    #expect(
      !isValid(signature, [], []) && !isValid(signature, [], key.dropLast()) && !isValid(signature, [], key + [0]))
  }

  private func isValid(_ signature: some Sequence<UInt8>, _ message: some Sequence<UInt8>, _ key: some Sequence<UInt8>)
    -> Bool
  {
    let (signature, message, key) = (Array(signature), Array(message), Array(key))
    return OpenSSLCrypto().isValidEd25519(
      signature: signature.span.bytes, of: message.span.bytes, publicKey: key.span.bytes)
  }

  private func decode(_ text: String) -> [UInt8]? { Base64URL.decode(text.utf8) }

  private func bytes(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).map { offset in
      let start = text.index(text.startIndex, offsetBy: offset)
      return UInt8(text[start..<text.index(start, offsetBy: 2)], radix: 16)!
    }
  }
}
