public import Archive
import OpenSSLCrypto
public import SystemSupport
import SessionToken
import Signalling
import TransportCrypto

/// The device's key, and what others have said about it: what archives' threads sign with.
public struct EvidenceIdentity: Sendable {
  let key: Ed25519Key
  let certificate: EvidenceCertificateFile
  /// Whose evidence lacks what others have to confirm.
  let outstanding: OutstandingArchives
  /// What was wrong with the files of both.
  public let faults: [StateFault]

  /// Reads the key, or makes one at its first need.
  ///
  /// - Parameters:
  ///   - stateDirectory: the device's; key, certificate and the list of what is outstanding lie there.
  ///   - credential: a key that systemd provides, if it is there.
  public init(stateDirectory: String, credential: String?) throws(EvidenceKeyError) {
    let loaded = try EvidenceKeyFile.load(credential: credential, orMakeAt: stateDirectory + "/evidence.key")
    key = loaded.value
    certificate = EvidenceCertificateFile(
      path: stateDirectory + "/evidence-certificate.json", publicKey: Base64URL.encode(key.publicKey))
    outstanding = OutstandingArchives(path: stateDirectory + "/evidence-outstanding")
    faults = [loaded.fault, outstanding.fault].compactMap(\.self)
  }

  /// What archives are made with.
  public var archiveEvidence: ArchiveEvidence {
    let crypto = OpenSSLCrypto()
    return ArchiveEvidence(
      hashing: crypto, signer: key, verifier: crypto, certificate: { [certificate] in certificate.certificate },
      ended: { [outstanding] id in outstanding.add(id) })
  }
}
