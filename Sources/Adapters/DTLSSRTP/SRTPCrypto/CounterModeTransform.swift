import COpenSSL
import RTP

/// AES_128_CM_HMAC_SHA1_80 (RFC 3711 §4, RFC 5764 §4.1.2).
final class CounterModeTransform: PacketTransform {
  private let cipher: CounterModeCipher
  private let authentication: KeyedHash
  private let salt: UInt128

  let tagLength = 10

  init(_ keys: SessionKeys.Set) throws(SRTPCryptoError) {
    cipher = try CounterModeCipher(key: keys.encryption)
    authentication = KeyedHash(key: keys.authentication)
    salt = InitializationVector.salt(keys.salt)
  }

  func sealRTP(
    _ packet: inout MutableRawSpan, header: Int, length: Int, ssrc: UInt32, index: UInt64
  ) -> Bool {
    let vector = InitializationVector.counterMode(salt: salt, ssrc: ssrc, index: index)
    return packet.withUnsafeMutableBytes { octets in
      guard cipher.combine(octets[rebasing: header..<length], from: vector) else { return false }
      let tag = tag(octets[rebasing: 0..<length], rollOver(index))
      for position in 0..<tagLength { octets[length + position] = tag[position] }
      return true
    }
  }

  func openRTP(
    _ packet: inout MutableRawSpan, header: Int, length: Int, ssrc: UInt32, index: UInt64
  ) -> Bool {
    let vector = InitializationVector.counterMode(salt: salt, ssrc: ssrc, index: index)
    return packet.withUnsafeMutableBytes { octets in
      let end = length - tagLength
      let expected = tag(octets[rebasing: 0..<end], rollOver(index))
      return matches(octets, at: end, expected) && cipher.combine(octets[rebasing: header..<end], from: vector)
    }
  }

  /// The index word stands before the tag and is authenticated (RFC 3711 §3.4).
  func sealRTCP(_ packet: inout MutableRawSpan, length: Int, ssrc: UInt32, index: UInt32) -> Bool {
    let vector = InitializationVector.counterMode(salt: salt, ssrc: ssrc, index: UInt64(index))
    let word = SRTCPIndexWord(index: index).octets
    return packet.withUnsafeMutableBytes { octets in
      guard cipher.combine(octets[rebasing: clearRTCPLength..<length], from: vector) else { return false }
      octets.write(word, at: length)
      let tag = tag(octets[rebasing: 0..<length], word)
      for position in 0..<tagLength { octets[length + SRTCPIndexWord.count + position] = tag[position] }
      return true
    }
  }

  func openRTCP(
    _ packet: inout MutableRawSpan, length: Int, ssrc: UInt32, word: SRTCPIndexWord
  ) -> Bool {
    let vector = InitializationVector.counterMode(salt: salt, ssrc: ssrc, index: UInt64(word.index))
    return packet.withUnsafeMutableBytes { octets in
      let end = indexWordOffset(length: length)
      let expected = tag(octets[rebasing: 0..<end], word.octets)
      return matches(octets, at: end + SRTCPIndexWord.count, expected)
        && cipher.combine(octets[rebasing: clearRTCPLength..<end], from: vector)
    }
  }

  func indexWordOffset(length: Int) -> Int { length - tagLength - SRTCPIndexWord.count }

  private func tag(
    _ octets: UnsafeMutableRawBufferPointer, _ suffix: InlineArray<4, UInt8>
  ) -> InlineArray<20, UInt8> {
    authentication.hash(UnsafeRawBufferPointer(octets), suffix)
  }

  private func rollOver(_ index: UInt64) -> InlineArray<4, UInt8> {
    networkOrder(UInt32(truncatingIfNeeded: index >> 16))
  }

  /// Compares in constant time.
  private func matches(
    _ octets: UnsafeMutableRawBufferPointer, at start: Int, _ expected: InlineArray<20, UInt8>
  ) -> Bool {
    var difference: UInt8 = 0
    for position in 0..<tagLength { difference |= octets[start + position] ^ expected[position] }
    return difference == 0
  }
}
