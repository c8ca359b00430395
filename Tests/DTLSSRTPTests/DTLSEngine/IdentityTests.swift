import DTLSSRTP
import Foundation
import SystemSupport
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
      let (first, second) = (try DTLSIdentity.load(orMakeAt: path), try DTLSIdentity.load(orMakeAt: path))
      #expect(first.fault == nil && second.fault == nil)
      let (made, loaded) = (first.value, second.value)
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

  @Test(arguments: ["", "nonsense", "-----BEGIN PRIVATE KEY-----\nMIG"])
  func whatIsDamagedIsKeptAndMadeAgain(content: String) throws {
    try withFolder { folder in
      let file = folder.appending(path: "dtls.pem")
      for round in 1...2 {
        try Data(content.utf8).write(to: file)
        let loaded = try DTLSIdentity.load(orMakeAt: file.path)
        let kept = "\(file.path).damaged\(round == 1 ? "" : "-2")"
        #expect(loaded.fault?.kind == .damaged(keptAs: kept))
        #expect(try Data(contentsOf: URL(filePath: kept)) == Data(content.utf8))
        #expect(try DTLSIdentity.load(orMakeAt: file.path).value.fingerprint == loaded.value.fingerprint)
      }
    }
  }

  @Test func whatCannotBeReadStaysAndWhatCannotBeWrittenIsInMemory() throws {
    try withFolder { folder in
      let file = folder.appending(path: "dtls.pem")
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      let first = try DTLSIdentity.load(orMakeAt: file.path)
      #expect(first.fault.map { "\($0)".contains("Is a directory") && "\($0)".contains("move it away") } == true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["dtls.pem"])
      let nowhere = try DTLSIdentity.load(orMakeAt: folder.appending(path: "none/dtls.pem").path)
      guard case .unwritable(let failure) = nowhere.fault?.kind else {
        Issue.record("\(String(describing: nowhere.fault))")
        return
      }
      #expect(failure.errno == ENOENT)
    }
  }

  @Test func whatFailedIsToldInWords() {
    let failure = DTLSEngineError.openSSL(function: "EVP_EC_gen", code: 0)
    #expect("\(failure)" == "EVP_EC_gen: no detail")
  }

  @Test func keyOfAnotherCertificateIsRefused() throws {
    let first = String(decoding: try DTLSIdentity().makePEM(), as: UTF8.self)
    let second = String(decoding: try DTLSIdentity().makePEM(), as: UTF8.self)
    let boundary = "-----BEGIN CERTIFICATE-----"
    let mixed = first.components(separatedBy: boundary)[0] + boundary + second.components(separatedBy: boundary)[1]
    #expect(throws: DTLSEngineError.badIdentity) { try DTLSIdentity(pem: Array(mixed.utf8)) }
  }
}
