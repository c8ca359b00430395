import ConfigFile
import HubCore
import Foundation
import HubCore
import Testing

@testable import HubHTTP

struct ConfigurationTests {
  private func read(_ text: String) throws -> HubConfiguration {
    try HubConfiguration(ConfigDocument(text: text, file: "hub.toml"))
  }

  private func error(_ text: String) -> String {
    do {
      _ = try read(text)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  private var sample: String {
    get throws {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      return try String(contentsOf: root.appendingPathComponent("etc/livesessions/hub.toml"), encoding: .utf8)
    }
  }

  @Test func theSampleIsTheDefaults() throws {
    let configuration = try read(try sample)
    #expect(configuration.listen == ListenAddress(host: "127.0.0.1", port: 8_080))
    #expect(configuration.effectiveHosts == ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"])
    #expect(!configuration.anonymousLogin && configuration.turn == nil)
  }

  @Test(arguments: [
    ("", "http://127.0.0.1:8080"),
    ("allowed_hosts = [\"hub.example.org\", \"other\"]", "https://hub.example.org"),
    ("allowed_hosts = [\"localhost\"]\nlisten = \"127.0.0.1:80\"", "http://localhost"),
    ("allowed_hosts = [\"[::1]:8081\"]", "http://[::1]:8081"),
  ])
  func linksLeadToTheFirstHost(_ text: String, _ url: String) throws {
    let configuration = try read(text)
    #expect(configuration.pageURL == url)
    #expect(configuration.isPageLocal == url.hasPrefix("http:"))
  }

  @Test(arguments: [
    ("0.0.0.0", 8_443, "192.168.1.10", "https://192.168.1.10:8443"), ("[::]", 443, "hub.lan", "https://hub.lan"),
    ("0.0.0.0", 8_443, "[2001:db8::1]", "https://[2001:db8::1]:8443"),
    ("0.0.0.0", 8_443, "hub.lan:444", "https://hub.lan:444"),
  ])
  func linksOfAHubWithACertificateHaveItsPort(_ address: String, _ port: Int, _ host: String, _ url: String) {
    var configuration = HubConfiguration()
    configuration.listen = ListenAddress(host: address, port: port)
    configuration.tls = TLSConfiguration(certificateFile: "hub.pem", keyFile: "hub.key")
    configuration.allowedHosts = [host]
    #expect(configuration.pageURL == url)
  }

  @Test func theSamplesSettingsAllExistAndShowTheirDefaults() throws {
    let secret = FileManager.default.temporaryDirectory.appendingPathComponent("turn-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: secret) }
    let isMade = FileManager.default.createFile(
      atPath: secret, contents: Data("north by northwest\n".utf8),
      attributes: [.posixPermissions: NSNumber(value: 0o600)])
    #expect(isMade)
    // The table that excludes [redis].
    let tls = [
      "#[tls]", "#certificate_file = \"/etc/livesessions/hub.pem\"", "#key_file = \"/etc/livesessions/hub.key\"",
    ]
    let isSetting = { (line: Substring) in
      line.hasPrefix("#") && !line.hasPrefix("# ") && !tls.contains(String(line))
    }
    #expect(tls.allSatisfy(try sample.contains))
    let settings = try sample.split(separator: "\n").filter(isSetting).map { $0.dropFirst() }
    let secrets = [
      "/etc/livesessions/turn.secret", "/etc/livesessions/redis.password", "/etc/livesessions/webhook.secret",
      "/etc/livesessions/metrics.token",
    ]
    let text = secrets.reduce(settings.joined(separator: "\n")) { $0.replacingOccurrences(of: $1, with: secret) }
    #expect(settings.count == 48)
    let configuration = try read(text)
    let defaults = HubConfiguration()
    #expect(configuration.listen == defaults.listen && configuration.database == defaults.database)
    #expect(configuration.trustedProxies == defaults.trustedProxies && defaults.trustedProxies.count == 2)
    #expect(configuration.connections == defaults.connections && configuration.admission == defaults.admission)
    #expect(configuration.heartbeatInterval == defaults.heartbeatInterval)
    #expect(configuration.statusSocket == HubConfiguration.serviceStatusSocket && defaults.statusSocket == nil)
    #expect(configuration.accessTokenLifetime == defaults.accessTokenLifetime)
    #expect(configuration.loginLifetime == defaults.loginLifetime)
    #expect(configuration.turn?.secret == "north by northwest" && configuration.turn?.uris.count == 3)
    #expect(configuration.turn?.lifetime == .seconds(3_600))
    let secretOfWebhook = WebhookSecret("north by northwest")
    let webhook = WebhookConfiguration(url: "https://alarms.example.org/livesessions", secret: secretOfWebhook)
    #expect(configuration.webhooks == [webhook] && defaults.webhooks.isEmpty)
    let services = ["push.example.org", "push.lan:8443"].compactMap { PushServiceName($0) }
    let push = PushConfiguration(
      contact: "mailto:admin@example.org", services: services, authorityFile: "/etc/livesessions/push-ca.pem")
    #expect(configuration.push == push && defaults.push == nil)
    var redis = RedisConfiguration(server: .address("127.0.0.1:6379"), node: "hub-1")
    redis.login = .init(username: "livesessions", password: "north by northwest")
    redis.nodeAddress = ListenAddress(host: "192.0.2.21", port: 8_080)
    #expect(configuration.redis == redis)
  }

  @Test(arguments: [
    (#"listen = "8080""#, "hub.toml:1:10: listen is no address"),
    ("[[webhook]]\nsecret_file = \"/x\"", "hub.toml:1:1: url is missing in [[webhook]]"),
    ("[[webhook]]\nurl = \"example.org\"", "hub.toml:2:7: url is no http or https URL"),
    ("[[webhook]]\nurl = \"http://a\"\nsecret_file = \"/nonexistent\"", "/nonexistent: cannot read the file"),
    (
      "[[webhook]]\nurl = \"http://a\"\nsecret = \"x\"",
      "hub.toml:3:1: unknown key \"secret\" in [[webhook]]; known here: secret_file, url"
    ),
    (#"status_socket = "status.sock""#, "hub.toml:1:17: status.sock is no path of a Unix socket"),
    ("[clients]\nheartbeat_interval = \"5s\"", "hub.toml:2:22: heartbeat_interval is 5s, outside 20 to 1800 seconds"),
    ("[clients]\nstreams_per_second = 0", "hub.toml:2:22: streams_per_second"),
    ("lisen = \"127.0.0.1:1\"", "hub.toml:1:1: unknown key \"lisen\"; did you mean \"listen\"?"),
    ("\nanonymous_login = \"yes\"", "hub.toml:2:19: anonymous_login must be true or false"),
    (#"allowed_hosts = ["http://x"]"#, "hub.toml:1:18: http://x is no host"),
    (#"allowed_origins = ["x"]"#, "hub.toml:1:20: x is no origin"),
    ("[connections]\nper_address = 0", "hub.toml:2:15: "),
    (#"trusted_proxies = ["10.0.0.0/33"]"#, "hub.toml:1:20: 10.0.0.0/33 is neither an address nor a range"),
    ("[turn]\nuris = [\"turn:x\"]", "hub.toml:1:"),
    ("[turn]\nsecret_file = \"/nonexistent\"\nuris = [\"http:x\"]", "hub.toml:3:9: http:x is no TURN or STUN URI"),
    ("[turn]\nsecret_file = \"/nonexistent\"\nuris = [\"turn:x\"]", "/nonexistent"),
    ("[push]\nservices = []", "hub.toml:1:2: contact is missing in [push]"),
    (
      "[push]\ncontact = \"admin@example.org\"",
      "hub.toml:2:11: contact is neither mailto: with an address nor an https"
    ),
    ("[push]\ncontact = \"mailto:admin@localhost\"", "hub.toml:2:11: contact is neither"),
    (
      "[push]\ncontact = \"https://example.org/\"\nservices = [\"a/b\"]",
      "hub.toml:3:13: a/b is no push service"
    ),
    ("listen = ", "hub.toml:1:"),
    ("[tls]\ncertificate_file = \"/x\"", "hub.toml:1:2: key_file is missing in [tls]"),
    ("[tls]\ncertificate_file = \"/x\"\nkey_file = \"/nonexistent\"", "/nonexistent: cannot read the file"),
    (
      "[tls]\ncertificate_file = \"/x\"\nkey_file = \"/y\"\n" + redis(""),
      "hub.toml:1:1: [tls] and [redis] exclude each other"
    ),
    ("[redis]\naddress = \"x\"\nnode = \"a\"", "hub.toml:2:11: x is neither host and port nor the path of a socket"),
    ("[redis]\naddress = \"127.0.0.1:1\"\nnode = \"a b\"", "hub.toml:3:8: a b is no name for a node"),
    ("[redis]\naddress = \"127.0.0.1:1\"", "hub.toml:1:"),
    ("[redis]\nnode = \"a\"", "hub.toml:1:"),
    ("[redis]\naddress = \"127.0.0.1:1\"\nsentinels = [\"127.0.0.1:2\"]\nnode = \"a\"", "hub.toml:"),
    ("database = \"/d\"\n" + redis("accounts = true"), "hub.toml:1:12: database has no effect"),
    (redis("cluster = [\"127.0.0.1:2\"]"), "hub.toml:4:11: address and cluster exclude each other"),
    ("[redis]\ncluster = []\nnode = \"a\"", "hub.toml:2:11: cluster names no server"),
    (redis("master = \"m\""), "hub.toml:4:10: master has no effect without sentinels"),
    (redis("username = \"u\""), "hub.toml:4:12: username has no effect without password_file"),
    (redis("ca_file = \"f\""), "hub.toml:4:11: ca_file has no effect without TLS"),
    (redis("tls = true\nkey_file = \"f\""), "hub.toml:5:12: key_file has no effect without certificate_file"),
    ("[redis]\naddress = \"/run/r\"\nnode = \"a\"\ntls = true", "hub.toml:4:7: a Unix socket has no TLS"),
  ])
  func mistakesAreNamedWithTheirPlace(text: String, message: String) {
    #expect(error(text).hasPrefix(message), "\(error(text))")
  }

  @Test(arguments: [
    ("127.0.0.1:8080", "127.0.0.1", 8_080), ("[::1]:0", "::1", 0), ("localhost:65535", "localhost", 65_535),
  ])
  func readsAddresses(text: String, host: String, port: Int) {
    #expect(ListenAddress(text) == ListenAddress(host: host, port: port))
    #expect(ListenAddress(text)?.description == text)
  }

  @Test(arguments: ["", ":80", "host", "host:", "host:65536", "host:-1", "::1:80", "[]:80"])
  func refusesWhatIsNoAddress(text: String) {
    #expect(ListenAddress(text) == nil)
  }
}

private func redis(_ more: String) -> String { "[redis]\naddress = \"127.0.0.1:1\"\nnode = \"a\"\n\(more)" }
