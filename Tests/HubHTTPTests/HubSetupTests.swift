import ConfigFile
import Foundation
import HubHTTP
import TestServers
import Testing

@Suite("Setting up a hub that others reach")
struct HubSetupTests {
  private static let tls = TLSConfiguration(certificateFile: "/etc/livesessions/hub.pem", keyFile: "/k \"y\"")

  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "setup-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path)
  }

  private func settings(_ setup: HubSetup, in text: String = "") throws -> [String] {
    try setup.applied(to: text, file: "hub.toml").split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("#") }
  }

  @Test func withACertificateTheHubListensForAll() throws {
    var setup = try HubSetup(name: "Hub.example.org", listen: nil, security: .certificate(Self.tls))
    setup.database = "/srv/hub.sqlite"
    #expect(setup.url == "https://hub.example.org:8443" && setup.proxyConfiguration == nil)
    #expect(
      try settings(setup) == [
        "database = \"/srv/hub.sqlite\"", "listen = \"0.0.0.0:8443\"", "allowed_hosts = [\"hub.example.org\"]",
        "trusted_proxies = []", "[tls]",
        "certificate_file = \"/etc/livesessions/hub.pem\"", "key_file = \"/k \\\"y\\\"\"",
      ])
    let usual = ListenAddress(host: "0.0.0.0", port: 443)
    #expect(try HubSetup(name: "[::1]", listen: usual, security: .certificate(Self.tls)).url == "https://[::1]")
  }

  @Test func behindAProxyItListensOnLoopback() throws {
    let setup = try HubSetup(name: "hub.example.org", listen: nil, security: .proxy(.caddy))
    #expect(setup.url == "https://hub.example.org")
    #expect(
      try settings(setup) == [
        "listen = \"127.0.0.1:8080\"",
        "allowed_hosts = [\"hub.example.org\", \"127.0.0.1:8080\", \"localhost:8080\"]",
      ])
    #expect(setup.proxyConfiguration?.contains("hub.example.org {\n  reverse_proxy 127.0.0.1:8080\n}") == true)
    let other = ListenAddress(host: "0.0.0.0", port: 8_081)
    let nginx = try HubSetup(name: "hub.example.org", listen: other, security: .proxy(.nginx)).proxyConfiguration
    #expect(nginx?.contains("server_name hub.example.org;") == true)
    #expect(nginx?.contains("proxy_pass http://127.0.0.1:8081;") == true)
  }

  @Test func commentsOfTheSampleStay() throws {
    let sample = "# Where to listen.\n#listen = \"127.0.0.1:8080\"\n\n# The certificate.\n#[tls]\n"
    let setup = try HubSetup(name: "hub", listen: nil, security: .certificate(Self.tls))
    let text = try setup.applied(to: sample, file: "hub.toml")
    #expect(text.hasPrefix("# Where to listen.\n#listen = \"127.0.0.1:8080\"\nlisten = \"0.0.0.0:8443\"\n"))
    #expect(text.contains("# The certificate.\n[tls]\n"))
  }

  @Test(arguments: ["", "https://hub", "a b", "hub:8443", "::1"])
  func whatIsNoNameIsRefused(name: String) {
    #expect(throws: ConfigValueError.self) { try HubSetup(name: name, listen: nil, security: .proxy(.other)) }
  }

  @Test func theProgramAsksNothingThatOptionsSay() async throws {
    let authority = TestAuthority()
    try await authority.withFiles(authority.issue("DNS:hub.example.org")) { files in
      try await withFolder { folder in
        let (file, password) = ("\(folder)/hub.toml", "\(folder)/password")
        #expect(
          FileManager.default.createFile(
            atPath: password, contents: Data("long enough\n".utf8), attributes: [.posixPermissions: 0o600]))
        func setup(_ options: String...) throws -> (status: Int32, output: String, errors: String) {
          try hubProgram(
            ["setup", "--config", file, "--database", "\(folder)/hub.sqlite", "--password-file", password] + options)
        }
        let tls = ["--certificate-file", files.certificate, "--key-file", files.key]
        let done = try setup("--name", "hub.example.org", "--title", "ann", tls[0], tls[1], tls[2], tls[3])
        #expect(done.status == 0 && done.output.contains("open https://hub.example.org:8443"), "\(done)")
        #expect(done.errors.contains("added administrator \"ann\"") && done.errors.contains("expires on"))
        #expect(try hubProgram("config", "check", file).status == 0)
        let again = try setup("--name", "other.example.org", "--title", "bob", "--proxy", "caddy")
        #expect(again.status == 1 && again.errors.contains("has settings already"), "\(again)")
        let forced = try setup("--name", "other.example.org", "--title", "bob", "--proxy", "caddy", "--force")
        #expect(forced.status == 0 && forced.output.contains("reverse_proxy 127.0.0.1:8080"), "\(forced)")
        #expect(forced.errors.contains("\(file).before-"))
        #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("[tls]"))
      }
    }
  }

  @Test func nothingIsWrittenForACertificateThatCannotBeUsed() async throws {
    try await withFolder { folder in
      let (file, key) = ("\(folder)/hub.toml", "\(folder)/hub.key")
      #expect(FileManager.default.createFile(atPath: key, contents: Data(), attributes: [.posixPermissions: 0o600]))
      let refused = try hubProgram(
        "setup", "--config", file, "--name", "hub", "--title", "ann", "--password-file", key, "--certificate-file",
        "/nowhere/hub.pem", "--key-file", key)
      #expect(refused.status == 78 && refused.errors.contains("no key can be read from \(key)"), "\(refused)")
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }
}
