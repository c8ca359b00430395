public import Archive
import OpenSSLCrypto
import SessionToken
import Signalling
import TransportCrypto

/// The device's key, and what others have said about it: what archives' threads sign with.
public struct EvidenceIdentity: Sendable {
  let key: Ed25519Key
  let certificate: EvidenceCertificateFile
  /// Whose evidence lacks what others have to confirm.
  let outstanding: OutstandingArchives

  /// Reads the key, or makes one at its first need.
  ///
  /// - Parameters:
  ///   - stateDirectory: the device's; key, certificate and the list of what is outstanding lie there.
  ///   - credential: a key that systemd provides, if it is there.
  public init(stateDirectory: String, credential: String?) throws(EvidenceKeyError) {
    key = try EvidenceKeyFile.load(credential: credential, orMakeAt: stateDirectory + "/evidence.key")
    certificate = EvidenceCertificateFile(
      path: stateDirectory + "/evidence-certificate.json", publicKey: Base64URL.encode(key.publicKey))
    outstanding = OutstandingArchives(path: stateDirectory + "/evidence-outstanding")
  }

  /// What archives are made with.
  public var archiveEvidence: ArchiveEvidence {
    let crypto = OpenSSLCrypto()
    return ArchiveEvidence(
      hashing: crypto, signer: key, verifier: crypto, certificate: { [certificate] in certificate.certificate },
      ended: { [outstanding] id in outstanding.add(id) })
  }
}
