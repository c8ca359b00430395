import COpenSSL

/// HMAC-SHA1 (RFC 2104) under one key, with the key's two blocks hashed in advance.
struct KeyedHash {
  private var inner = SHA_CTX()
  private var outer = SHA_CTX()

  /// - Parameter key: at most 64 octets.
  init(key: [UInt8]) {
    let block = key + [UInt8](repeating: 0, count: Int(SHA_CBLOCK) - key.count)
    Self.start(&inner, block.map { $0 ^ 0x36 })
    Self.start(&outer, block.map { $0 ^ 0x5C })
  }

  private static func start(_ state: inout SHA_CTX, _ block: [UInt8]) {
    SHA1_Init(&state)
    SHA1_Update(&state, block, block.count)
  }

  /// The hash of `octets` followed by `suffix`.
  func hash(_ octets: UnsafeRawBufferPointer, _ suffix: InlineArray<4, UInt8>) -> InlineArray<20, UInt8> {
    var (state, final) = (inner, outer)
    SHA1_Update(&state, octets.baseAddress, octets.count)
    suffix.span.withUnsafeBytes { _ = SHA1_Update(&state, $0.baseAddress, $0.count) }
    var digest = InlineArray<20, UInt8>(repeating: 0)
    Self.finish(&state, into: &digest)
    digest.span.withUnsafeBytes { _ = SHA1_Update(&final, $0.baseAddress, $0.count) }
    Self.finish(&final, into: &digest)
    return digest
  }

  private static func finish(_ state: inout SHA_CTX, into digest: inout InlineArray<20, UInt8>) {
    var octets = digest.mutableSpan
    octets.withUnsafeMutableBufferPointer { _ = SHA1_Final($0.baseAddress, &state) }
  }
}
