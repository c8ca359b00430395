import DTLSEngine
import Foundation
import Testing
import TransportCrypto

@Suite struct IdentityTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "identity-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test func identityIsMadeOnceAndKept() throws {
    try withFolder { folder in
      let path = folder.appending(path: "identity.pem").path
      let made = try DTLSIdentity.load(orMakeAt: path)
      let loaded = try DTLSIdentity.load(orMakeAt: path)
      #expect(made.fingerprint == loaded.fingerprint)
      #expect(made.fingerprint.digest.count == 32)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["identity.pem"])
    }
  }

  @Test func pemRoundTripKeepsTheFingerprint() throws {
    let identity = try DTLSIdentity()
    #expect(try DTLSIdentity(pem: identity.makePEM()).fingerprint == identity.fingerprint)
    #expect(try DTLSIdentity().fingerprint != identity.fingerprint)
  }

  @Test func brokenFilesAreRefusedAndLeftAlone() throws {
    try withFolder { folder in
      let file = folder.appending(path: "identity.pem")
      try Data("nonsense".utf8).write(to: file)
      #expect(throws: DTLSEngineError.badIdentity) { try DTLSIdentity.load(orMakeAt: file.path) }
      #expect(try Data(contentsOf: file) == Data("nonsense".utf8))
      #expect(throws: DTLSEngineError.file(call: "open", errno: ENOENT)) {
        try DTLSIdentity.load(orMakeAt: folder.appending(path: "none/identity.pem").path)
      }
    }
  }

  @Test func keyOfAnotherCertificateIsRefused() throws {
    let first = String(decoding: try DTLSIdentity().makePEM(), as: UTF8.self)
    let second = String(decoding: try DTLSIdentity().makePEM(), as: UTF8.self)
    let boundary = "-----BEGIN CERTIFICATE-----"
    let mixed = first.components(separatedBy: boundary)[0] + boundary + second.components(separatedBy: boundary)[1]
    #expect(throws: DTLSEngineError.badIdentity) { try DTLSIdentity(pem: Array(mixed.utf8)) }
  }
}
