public import ConfigFile

/// `[mqtt]`: the device at a broker, for Home Assistant and others.
public struct MQTTSettings: SettingGroup, Hashable {
  /// Where the broker is.
  public struct Broker: Sendable, Hashable {
    public var endpoint: ServiceEndpoint
    public var isEncrypted: Bool
  }

  public enum Version: String, Sendable, CaseIterable {
    case three = "3.1.1"
    case five = "5"
  }

  /// How Home Assistant learns what there is.
  public enum Discovery: String, Sendable, CaseIterable {
    /// One message for all entities, since Home Assistant 2024.11.
    case device
    /// One for each entity.
    case component
    case none
  }

  /// Which images leave the device.
  public enum Images: String, Sendable, CaseIterable {
    case none
    /// That of the last event.
    case events
    /// Snapshots, besides.
    case snapshots
  }

  /// The name of systemd's credential that holds the password.
  public static let credentialName = "mqtt-password"

  /// Nil connects nowhere.
  public var broker: Broker?
  var isPlainAllowed = false
  public var user: String?
  public var passwordFile: String?
  public var authorityFile: String?
  public var certificateFile: String?
  public var keyFile: String?
  public var version = Version.three
  /// Letters, digits, `-` and `_`; nil takes the device's title.
  public var node: String?
  public var prefix = "livesessions"
  public var discovery = Discovery.device
  public var discoveryPrefix = "homeassistant"
  public var keepAlive = Duration.seconds(60)
  public var images = Images.none
  public var snapshotInterval = Duration.seconds(30)
  /// Actions that are shown as locks, besides those that need a PIN.
  public var locks: [String] = []

  public init() {}

  static let settings: [Setting<MQTTSettings>] = [
    Setting(
      "broker", \.broker, SettingType("URL", form: .text, read: broker), example: "\"mqtts://broker.example\"",
      """
      Where the device is shown by MQTT, with Home Assistant's discovery (guides/home-assistant.md): `mqtts://HOST` with \
      TLS, port 8883 unless the URL has another, or `mqtt://HOST` in plain, port 1883. Without it there is no connection.
      """),
    Setting(
      "allow_plain_mqtt", \.isPlainAllowed, .bool,
      "Permit `mqtt://` to another machine: the network then sees password, PINs, events and images."),
    Setting(
      "user", \.user, .text("string", parse: line), example: "\"front-gate\"",
      "The broker's user for this device."),
    Setting(
      "password_file", \.passwordFile, .absolutePath, example: "\"/etc/livesessions/mqtt-password\"",
      """
      A file of mode 0600, the daemon's user's own, whose first line is the user's password. Without it the password comes \
      from systemd (`LoadCredential=mqtt-password:/path`).
      """),
    Setting(
      "ca_file", \.authorityFile, .absolutePath, example: "\"/etc/livesessions/broker-ca.pem\"",
      "Certificates (PEM) of the authorities that are trusted instead of the system's."),
    Setting(
      "certificate_file", \.certificateFile, .absolutePath, example: "\"/etc/livesessions/broker-client.pem\"",
      "The device's certificate (PEM), for a broker that asks for one; with `key_file`."),
    Setting(
      "key_file", \.keyFile, .absolutePath, example: "\"/etc/livesessions/broker-client.key\"",
      "The certificate's key (PEM), in a file of mode 0600."),
    Setting("version", \.version, .choice(), "The version of MQTT."),
    Setting(
      "node", \.node, .text("string", parse: node), example: "\"front-gate\"",
      """
      The device's name in topics and its client id at the broker: up to 64 letters, digits, dashes and underscores, which \
      no other device has. Without it the name is made of the title.
      """),
    Setting(
      "prefix", \.prefix, .text("topic", parse: topic),
      "What the device's own topics begin with: `livesessions/front-gate/state` and the like."),
    Setting(
      "discovery", \.discovery, .choice(),
      """
      How Home Assistant finds the device's entities: `device`, one message for all (since 2024.11), `component`, one for \
      each, or `none`. What the other form has left at the broker is removed.
      """),
    Setting(
      "discovery_prefix", \.discoveryPrefix, .text("topic", parse: topic),
      "What discovery's topics begin with, as in Home Assistant."),
    Setting(
      "keep_alive", \.keepAlive, .duration(.seconds(10)...(.seconds(3_600))),
      "How often the connection is probed when nothing is sent; temperature and disk are read as often."),
    Setting(
      "images", \.images, .choice(),
      """
      Which images go to the broker: `events`, that of the last event; `snapshots`, besides one of the camera each time \
      something happens and with each probe of the connection, at most every `snapshot_interval`. Who may read the topics \
      sees them.
      """),
    Setting(
      "snapshot_interval", \.snapshotInterval, .duration(.seconds(5)...(.seconds(3_600))),
      "No two snapshots are nearer."),
    Setting(
      "locks", \.locks, .texts("list of names", parse: ActionSettings.checkName), example: "[\"open-door\"]",
      """
      Actions that Home Assistant shows as locks; others are buttons. An action whose rule in policy.toml wants a PIN is a \
      lock in any case. Only actions that a rule allows the caller `"mqtt"` are shown.
      """),
  ]

  static func check(_ table: ConfigTable, _ settings: inout MQTTSettings) {
    if !table.isEmpty, !table.contains("broker") { table.addMissing("broker", example: "\"mqtts://broker.example\"") }
    if settings.passwordFile != nil, settings.user == nil {
      table.addError("password_file does nothing without user", remedy: "add user", at: "password_file")
    }
    if (settings.certificateFile == nil) != (settings.keyFile == nil) {
      table.addError(
        "certificate_file and key_file go together", remedy: "set both",
        at: settings.certificateFile == nil ? "key_file" : "certificate_file")
    }
    guard let broker = settings.broker, !broker.isEncrypted else { return }
    for key in ["ca_file", "certificate_file"] where table.contains(key) {
      table.addError("\(key) does nothing without TLS", remedy: "write mqtts:// in broker", at: key)
    }
  }

  /// Reads the password from the configured file or else from systemd's.
  ///
  /// - Parameter credentialsDirectory: the value of `$CREDENTIALS_DIRECTORY`, if set.
  /// - Returns: nil when neither is there.
  /// - Throws: when the file is missing, empty, or readable by others.
  public func password(credentialsDirectory: String?) throws(ConfigErrors) -> String? {
    if let keyFile { try SecretFile.check(path: keyFile) }
    if let passwordFile { return try SecretFile.read(path: passwordFile) }
    guard user != nil, let credentialsDirectory else { return nil }
    let path = "\(credentialsDirectory)/\(Self.credentialName)"
    return SecretFile.exists(path: path) ? try SecretFile.read(path: path) : nil
  }
}

// MARK: - Values

extension MQTTSettings {
  private static func broker(_ table: ConfigTable, _ key: String) -> Broker? {
    table.value(key) { text throws(ConfigValueError) in
      try broker(text, isPlainAllowed: table.isTrue("allow_plain_mqtt"))
    }
  }

  private static func broker(_ text: String, isPlainAllowed: Bool) throws(ConfigValueError) -> Broker {
    let isEncrypted = text.hasPrefix("mqtts://")
    let authority = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? ""
    let host = ServiceURL.host(of: text)
    let address = host.count == authority.count ? "\(host):\(isEncrypted ? 8_883 : 1_883)" : String(authority)
    let isPrintable = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isEncrypted || text.hasPrefix("mqtt://"), !host.isEmpty, isPrintable,
      !authority.contains(where: { "/?#@\\".contains($0) }), let endpoint = ServiceEndpoint(address)
    else {
      throw ConfigValueError(
        "\"\(text)\" is not the URL of a broker", remedy: "write for example \"mqtts://broker.example\"")
    }
    guard isEncrypted || isPlainAllowed || ServiceURL.isLoopback(host) else {
      throw ConfigValueError(
        "plain MQTT to another machine shows password, PINs, events and images to the network",
        remedy: "use mqtts, or set allow_plain_mqtt = true on a network that you trust")
    }
    return Broker(endpoint: endpoint, isEncrypted: isEncrypted)
  }

  private static func node(_ text: String, _ key: String) throws(ConfigValueError) -> String {
    guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(isNodeByte) else {
      throw ConfigValueError(
        "\(key) has 1 to 64 letters, digits, dashes and underscores", remedy: "write for example \"front-gate\"")
    }
    return text
  }

  /// What Home Assistant permits in ids.
  static func isNodeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func topic(_ text: String, _ key: String) throws(ConfigValueError) -> String {
    let levels = text.split(separator: "/", omittingEmptySubsequences: false)
    let isPrintable = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard (1...64).contains(text.utf8.count), isPrintable, !levels.contains(""), !text.hasPrefix("$"),
      !text.contains(where: { "+#".contains($0) })
    else {
      throw ConfigValueError(
        "\(key) cannot be \"\(text)\"", remedy: "write one or more levels of a topic without +, # and $")
    }
    return text
  }

  private static func line(_ text: String, _ key: String) throws(ConfigValueError) -> String {
    guard (1...256).contains(text.utf8.count), !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
      throw ConfigValueError("\(key) must be one line of 1 to 256 bytes")
    }
    return text
  }
}
