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

  public init() throws(SRTPCryptoError) {
    let status = Self.initialized
    guard status == srtp_err_status_ok else { throw .library(function: "srtp_init", status: status.rawValue) }
  }

  public func makeProtection(_ keys: SRTPKeyingMaterial) throws -> any PacketProtection {
    try LibSRTPProtection(keys)
  }
}
