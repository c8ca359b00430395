import MediaCore
public import TransportCrypto

/// DTLS that is connected as soon as it starts, without a datagram, for tests of later stages.
public final class InstantDTLS: DTLSAssociationMaking {
  public let fingerprint = CertificateFingerprint(algorithm: "sha-256", digest: [UInt8](repeating: 7, count: 32))

  public init() {}

  public func makeAssociation(role: DTLSRole, remote: [CertificateFingerprint]) -> any DTLSAssociation {
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
