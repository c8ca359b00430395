import COpenSSL
import RTP

/// AEAD_AES_128_GCM and AEAD_AES_256_GCM (RFC 7714).
final class GCMTransform: PacketTransform {
  private let context: CipherContext
  private let salt: UInt128

  let tagLength = 16

  init(_ keys: SessionKeys.Set, _ direction: CipherContext.Direction) throws(SRTPCryptoError) {
    guard let cipher = keys.encryption.count == 32 ? EVP_aes_256_gcm() : EVP_aes_128_gcm() else {
      throw .unavailable(function: "EVP_aes_gcm")
    }
    context = try CipherContext(cipher, key: keys.encryption, direction)
    salt = InitializationVector.salt(keys.salt)
  }

  func sealRTP(
    _ packet: inout MutableRawSpan, header: Int, length: Int, ssrc: UInt32, index: UInt64
  ) -> Bool {
    let vector = InitializationVector.gcm(salt: salt, ssrc: ssrc, index: index)
    return packet.withUnsafeMutableBytes { octets in
      context.begin(vector) && authenticate(octets[rebasing: 0..<header])
        && context.transform(octets[rebasing: header..<length]) && finish()
        && takeTag(into: octets[rebasing: length..<length + tagLength])
    }
  }

  func openRTP(
    _ packet: inout MutableRawSpan, header: Int, length: Int, ssrc: UInt32, index: UInt64
  ) -> Bool {
    let vector = InitializationVector.gcm(salt: salt, ssrc: ssrc, index: index)
    return packet.withUnsafeMutableBytes { octets in
      let end = length - tagLength
      return context.begin(vector) && expectTag(octets[rebasing: end..<length])
        && authenticate(octets[rebasing: 0..<header]) && context.transform(octets[rebasing: header..<end]) && finish()
    }
  }

  /// The index word stands last; it is authenticated together with the clear header (RFC 7714 §9.2, §9.3).
  func sealRTCP(_ packet: inout MutableRawSpan, length: Int, ssrc: UInt32, index: UInt32) -> Bool {
    let vector = InitializationVector.gcm(salt: salt, ssrc: ssrc, index: UInt64(index))
    return packet.withUnsafeMutableBytes { octets in
      let word = octets[rebasing: length + tagLength..<length + tagLength + SRTCPIndexWord.count]
      word.write(SRTCPIndexWord(index: index).octets, at: 0)
      return context.begin(vector) && authenticate(octets[rebasing: 0..<clearRTCPLength]) && authenticate(word)
        && context.transform(octets[rebasing: clearRTCPLength..<length]) && finish()
        && takeTag(into: octets[rebasing: length..<length + tagLength])
    }
  }

  func openRTCP(
    _ packet: inout MutableRawSpan, length: Int, ssrc: UInt32, word: SRTCPIndexWord
  ) -> Bool {
    let vector = InitializationVector.gcm(salt: salt, ssrc: ssrc, index: UInt64(word.index))
    return packet.withUnsafeMutableBytes { octets in
      let wordStart = indexWordOffset(length: length)
      let end = wordStart - tagLength
      return context.begin(vector) && expectTag(octets[rebasing: end..<wordStart])
        && authenticate(octets[rebasing: 0..<clearRTCPLength]) && authenticate(octets[rebasing: wordStart..<length])
        && context.transform(octets[rebasing: clearRTCPLength..<end]) && finish()
    }
  }

  func indexWordOffset(length: Int) -> Int { length - SRTCPIndexWord.count }

  private func authenticate(_ octets: UnsafeMutableRawBufferPointer) -> Bool {
    var count: CInt = 0
    let start = octets.baseAddress?.assumingMemoryBound(to: UInt8.self)
    return EVP_CipherUpdate(context.pointer, nil, &count, start, CInt(octets.count)) == 1
  }

  /// False when a packet that is opened is not authentic.
  private func finish() -> Bool {
    var none: UInt8 = 0
    var count: CInt = 0
    return EVP_CipherFinal_ex(context.pointer, &none, &count) == 1
  }

  private func takeTag(into octets: UnsafeMutableRawBufferPointer) -> Bool {
    EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_GET_TAG, CInt(octets.count), octets.baseAddress) == 1
  }

  private func expectTag(_ octets: UnsafeMutableRawBufferPointer) -> Bool {
    EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, CInt(octets.count), octets.baseAddress) == 1
  }
}
