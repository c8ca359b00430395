import Foundation
import TLSClient
import TestServers
import Testing

@testable import HubHTTP

/// What is said about a certificate before clients notice it.
@Suite("The hub's certificate")
struct CertificateTests {
  private static let day: Double = 86_400
  private let authority = TestAuthority()
  private var now: Int64 { Int64(Date().timeIntervalSince1970) }

  private func findings(
    _ identity: ServerIdentity, hosts: [String] = ["hub.example.org"]
  ) async throws -> [CertificateFinding] {
    var findings: [CertificateFinding] = []
    try await authority.withFiles(identity) { files in
      findings = TLSConfiguration(certificateFile: files.certificate, keyFile: files.key)
        .findings(hosts: hosts, now: now)
    }
    return findings
  }

  private func identity(until end: Double = 60, from begin: Double = -1) -> ServerIdentity {
    authority.issue("DNS:hub.example.org,DNS:*.example.net,IP:192.0.2.1", validity: begin * Self.day...end * Self.day)
  }

  @Test func aGoodOneIsNotMentioned() async throws {
    let hosts = ["hub.example.org:8443", "door.example.net", "192.0.2.1", "localhost", "127.0.0.1:8443", "[::1]:8443"]
    #expect(try await findings(identity(), hosts: hosts).isEmpty)
  }

  @Test func itsDatesAreChecked() async throws {
    let soon = try #require(try await findings(identity(until: 10)).first)
    #expect(!soon.isMistake && "\(soon)".hasPrefix("the certificate expires on ") && "\(soon)".contains("reload"))
    let expired = try #require(try await findings(identity(until: -1, from: -2)).first)
    #expect(expired.isMistake && "\(expired)".hasPrefix("the certificate expired on "))
    let future = try #require(try await findings(identity(from: 1)).first)
    #expect(future.isMistake && "\(future)".contains("clock"))
  }

  @Test func namesThatClientsAskForAreChecked() async throws {
    let hosts = ["hub.example.org", "other.example.org:8443", "[2001:db8::1]:8443", "192.0.2.2"]
    let expected = ["other.example.org", "2001:db8::1", "192.0.2.2"].map(CertificateFinding.notNamed)
    #expect(try await findings(identity(), hosts: hosts) == expected)
    #expect(try await findings(identity(), hosts: []) == [.loopbackHostsAlone])
  }

  @Test func filesThatDoNotBelongTogetherAreNamed() async throws {
    try await authority.withFiles(identity()) { one in
      try await authority.withFiles(identity()) { other in
        let found = TLSConfiguration(certificateFile: one.certificate, keyFile: other.key).findings(hosts: [], now: now)
        let mismatch = TLSServerError.mismatch(certificateFile: one.certificate, keyFile: other.key)
        #expect(found == [.unusable(mismatch)] && found[0].isMistake)
      }
    }
  }

  @Test func theProgramChecksIt() async throws {
    try await authority.withFiles(identity(until: 10)) { files in
      let file = files.key + ".toml"
      defer { try? FileManager.default.removeItem(atPath: file) }
      func check(_ certificate: String) throws -> (status: Int32, output: String, errors: String) {
        let text = "[tls]\ncertificate_file = \"\(certificate)\"\nkey_file = \"\(files.key)\"\n"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try hubProgram("config", "check", file)
      }
      let soon = try check(files.certificate)
      #expect(soon.status == 0 && soon.errors.contains("warning: [tls]: the certificate expires on "), "\(soon)")
      let missing = try check("/nowhere/hub.pem")
      #expect(missing.status == 78 && missing.errors.contains("/nowhere/hub.pem: No such file"), "\(missing)")
      let other = try check(files.authority)
      #expect(other.status == 78 && other.errors.contains("is not that of the certificate"), "\(other)")
    }
  }
}
