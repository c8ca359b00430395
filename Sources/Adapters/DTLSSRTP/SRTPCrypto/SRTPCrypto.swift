internal import RTP
public import TransportCrypto

/// Why packet protection could not be set up.
public enum SRTPCryptoError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Master key and salt have the wrong length for the profile.
  case wrongKeyLength
  /// OpenSSL refused a cipher.
  case unavailable(function: String)

  public var description: String {
    switch self {
    case .wrongKeyLength: "SRTP keys of a wrong length"
    case .unavailable(let function): "OpenSSL lacks a cipher of SRTP (\(function))"
    }
  }
}

/// Makes SRTP and SRTCP protection whose ciphers are OpenSSL's.
///
/// Stateless, so threads may share it; each protection that it makes belongs to one thread at a time.
public final class SRTPCrypto: PacketProtectionMaking, Sendable {
  public init() {}

  public func makeProtection(_ keys: SRTPKeyingMaterial) throws(TransportCryptoError) -> any PacketProtection {
    do throws(SRTPCryptoError) {
      return try Self.protection(keys)
    } catch {
      throw TransportCryptoError("\(error)")
    }
  }

  private static func protection(_ keys: SRTPKeyingMaterial) throws(SRTPCryptoError) -> SessionProtection {
    let local = try Self.sessionKeys(keys.profile, keys.local)
    let remote = try Self.sessionKeys(keys.profile, keys.remote)
    return SessionProtection(
      outbound: OutboundProtection(
        rtp: try Self.transform(keys.profile, local.rtp, .seal),
        rtcp: try Self.transform(keys.profile, local.rtcp, .seal)),
      inbound: InboundProtection(
        rtp: try Self.transform(keys.profile, remote.rtp, .open),
        rtcp: try Self.transform(keys.profile, remote.rtcp, .open)))
  }

  private static func transform(
    _ profile: SRTPProfile, _ keys: SessionKeys.Set, _ direction: CipherContext.Direction
  ) throws(SRTPCryptoError) -> any PacketTransform {
    switch profile {
    case .aes128CMHMACSHA1_80: try CounterModeTransform(keys)
    case .aeadAES128GCM, .aeadAES256GCM: try GCMTransform(keys, direction)
    }
  }

  private static func sessionKeys(_ profile: SRTPProfile, _ master: [UInt8]) throws(SRTPCryptoError) -> SessionKeys {
    let keys = try SessionKeys(profile: profile, master: master) { (key, vector, count) throws(SRTPCryptoError) in
      try CounterModeCipher(key: key).keystream(from: vector, count: count)
    }
    guard let keys else { throw .wrongKeyLength }
    return keys
  }
}
