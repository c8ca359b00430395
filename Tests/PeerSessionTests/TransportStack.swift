import DTLSSRTP
import MediaCore
import OpenSSLCrypto
import TestSupport
import TransportCrypto

/// The cryptography of one party.
struct TransportStack {
  let crypto: any CryptoPrimitives
  let dtls: any DTLSAssociationMaking
  let protection: any PacketProtectionMaking

  /// Certificates take long to make, so all tests share two.
  private static let engines = [try! DTLSEngine(identity: DTLSIdentity()), try! DTLSEngine(identity: DTLSIdentity())]

  /// DTLS and SRTP by OpenSSL; `index` chooses the certificate.
  static func real(_ index: Int, seed: UInt64) throws -> TransportStack {
    TransportStack(crypto: SeededCrypto(seed: seed), dtls: engines[index], protection: SRTPCrypto())
  }

  /// A handshake without messages and packets in the clear: what is left is the session's own work.
  static func open(seed: UInt64) -> TransportStack {
    TransportStack(crypto: SeededCrypto(seed: seed), dtls: InstantDTLS(), protection: CopyingProtection())
  }
}
