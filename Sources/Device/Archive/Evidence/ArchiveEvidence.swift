public import Signalling
public import TransportCrypto

/// What a device makes evidence with. From any thread.
public struct ArchiveEvidence: Sendable {
  let hashing: any SHA256Hashing
  let signer: any MessageSigning
  let verifier: any SignatureVerifying
  /// The hub's certificate for the signing key, as it is known now; nil until the hub has given one.
  let certificate: @Sendable () -> String?
  /// Notified of each archive that has ended, or was recovered, with evidence.
  let ended: @Sendable (ArchiveID) -> Void

  /// - Parameters:
  ///   - certificate: called by archives' threads; must not wait.
  ///   - ended: the same.
  public init(
    hashing: any SHA256Hashing, signer: any MessageSigning, verifier: any SignatureVerifying,
    certificate: @escaping @Sendable () -> String? = { nil }, ended: @escaping @Sendable (ArchiveID) -> Void = { _ in }
  ) {
    self.hashing = hashing
    self.signer = signer
    self.verifier = verifier
    self.certificate = certificate
    self.ended = ended
  }
}
