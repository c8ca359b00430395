import DTLSEngine
import MediaCore
import OpenSSLCrypto
import SRTPCrypto
import SeededCrypto
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

/// DTLS that is connected as soon as it starts.
final class InstantDTLS: DTLSAssociationMaking {
  let fingerprint = CertificateFingerprint(algorithm: "sha-256", digest: Array(repeating: 7, count: 32))

  func makeAssociation(role: DTLSRole, remote: [CertificateFingerprint]) -> any DTLSAssociation {
    InstantAssociation()
  }
}

private final class InstantAssociation: DTLSAssociation {
  private(set) var state = DTLSState.handshaking
  let deadline: MonotonicInstant? = nil

  func start(now: MonotonicInstant) {
    state = .connected(SRTPKeyingMaterial(profile: .aeadAES128GCM, local: [], remote: []))
  }

  func receive(_ datagram: RawSpan, now: MonotonicInstant) {}
  func handleTimeout(now: MonotonicInstant) {}
  func takeDatagram(into buffer: inout MutableRawSpan) -> Int? { nil }
  func close() { state = .closed }
}

/// Leaves packets as they are.
final class CopyingProtection: PacketProtectionMaking, PacketProtection {
  func makeProtection(_ keys: SRTPKeyingMaterial) -> any PacketProtection { self }
  func protectRTP(_ buffer: inout MutableRawSpan, length: Int) -> Int { length }
  func protectRTCP(_ buffer: inout MutableRawSpan, length: Int) -> Int { length }
  func unprotectRTP(_ buffer: inout MutableRawSpan, length: Int) -> Int { length }
  func unprotectRTCP(_ buffer: inout MutableRawSpan, length: Int) -> Int { length }
}
