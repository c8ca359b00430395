import CSRTP
public import TransportCrypto

/// Why libsrtp2 could not be set up.
public enum SRTPCryptoError: Error, Equatable, Sendable {
  /// A libsrtp2 function failed with this `srtp_err_status_t`.
  case library(function: String, status: UInt32)
  /// Master key and salt have the wrong length for the profile.
  case wrongKeyLength
}

/// Makes SRTP and SRTCP protection by libsrtp2.
///
/// Stateless, so threads may share it; each protection that it makes belongs to one thread at a time.
public final class SRTPCrypto: PacketProtectionMaking, Sendable {
  /// Sets the library up on first use, which the language does once per process.
  private static let initialized = srtp_init()

  /// One context that outlives all sessions: where libsrtp2 stands on NSS, it unloads a library with its last context, which
  /// takes milliseconds on the network thread and again when the next session begins.
  private static let resident = ResidentContext()

  public init() throws(SRTPCryptoError) {
    let status = Self.initialized
    guard status == srtp_err_status_ok else { throw .library(function: "srtp_init", status: status.rawValue) }
    _ = Self.resident
  }

  public func makeProtection(_ keys: SRTPKeyingMaterial) throws -> any PacketProtection {
    try LibSRTPProtection(keys)
  }
}

/// Holds a context that protects nothing.
///
/// Safety: made once and never used, so that libsrtp2's rule of one thread a context holds.
private final class ResidentContext: @unchecked Sendable {
  private let stream: SRTPStream?

  init() {
    let profile = SRTPProfile.aeadAES128GCM
    let lengths = profile.keyLengths
    stream = try? SRTPStream(
      .outbound, profile: profile, masterKey: [UInt8](repeating: 0, count: lengths.key + lengths.salt))
  }
}
