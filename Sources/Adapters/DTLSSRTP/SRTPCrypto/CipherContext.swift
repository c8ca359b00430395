import COpenSSL

/// An OpenSSL cipher with its key set, used by one thread at a time. Using it allocates nothing.
struct CipherContext: ~Copyable {
  let pointer: OpaquePointer

  enum Direction: CInt {
    case open = 0
    case seal = 1
  }

  /// - Parameter cipher: one of OpenSSL's that fits the key's length.
  init(_ cipher: OpaquePointer, key: [UInt8], _ direction: Direction) throws(SRTPCryptoError) {
    guard let context = EVP_CIPHER_CTX_new() else { throw .unavailable(function: "EVP_CIPHER_CTX_new") }
    guard EVP_CipherInit_ex(context, cipher, nil, key, nil, direction.rawValue) == 1 else {
      EVP_CIPHER_CTX_free(context)
      throw .unavailable(function: "EVP_CipherInit_ex")
    }
    pointer = context
  }

  deinit { EVP_CIPHER_CTX_free(pointer) }

  /// Begins a packet; key and direction stay. The cipher takes as many octets of the vector as it needs.
  func begin(_ vector: UInt128) -> Bool {
    withUnsafeBytes(of: vector.bigEndian) { octets in
      EVP_CipherInit_ex(pointer, nil, nil, nil, octets.baseAddress?.assumingMemoryBound(to: UInt8.self), -1) == 1
    }
  }

  /// Encrypts or decrypts octets in place.
  func transform(_ octets: UnsafeMutableRawBufferPointer) -> Bool {
    guard let start = octets.baseAddress?.assumingMemoryBound(to: UInt8.self), !octets.isEmpty else { return true }
    var count: CInt = 0
    return EVP_CipherUpdate(pointer, start, &count, start, CInt(octets.count)) == 1 && count == CInt(octets.count)
  }
}
