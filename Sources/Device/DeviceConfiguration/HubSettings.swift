public import ConfigFile

/// `[hub]`: where the device is announced, and as whom.
public struct HubSettings: Sendable, Hashable {
  /// The file below `$CREDENTIALS_DIRECTORY` that systemd's `LoadCredential=` provides.
  public static let credentialName = "enrolment-key"

  /// `https://host[:port]`, or `http://` for a hub on this machine.
  public var url: String
  /// The file that holds the enrolment key; nil when systemd provides it.
  public var enrolmentKeyFile: String?
  /// Whether operators at the hub may see what the camera sees now.
  public var showsSnapshots: Bool

  init(_ table: ConfigTable) {
    let isPlainAllowed = table.bool("allow_plain_http", default: false)
    url =
      table.value("url") { text throws(ConfigValueError) in try Self.checkURL(text, isPlainAllowed: isPlainAllowed) }
      ?? ""
    if !table.contains("url") { table.addMissing("url", example: "\"http://127.0.0.1:8080\"") }
    enrolmentKeyFile = table.absolutePath("enrolment_key_file")
    showsSnapshots = table.bool("snapshots", default: false)
  }

  /// Whether the hub runs on this machine.
  public var isLoopback: Bool { Self.isLoopback(Self.host(of: url)) }

  /// Reads the enrolment key from the configured file or else from systemd's credentials.
  ///
  /// - Parameter credentialsDirectory: the value of `$CREDENTIALS_DIRECTORY`, if set.
  /// - Returns: nil when neither is there: the device then logs in anonymously, if the hub allows that.
  /// - Throws: when the file is missing, empty, or readable by others.
  public func enrolmentKey(credentialsDirectory: String?) throws(ConfigErrors) -> String? {
    if let enrolmentKeyFile { return try SecretFile.read(path: enrolmentKeyFile) }
    guard let credentialsDirectory else { return nil }
    let path = "\(credentialsDirectory)/\(Self.credentialName)"
    return SecretFile.exists(path: path) ? try SecretFile.read(path: path) : nil
  }
}

extension HubSettings {
  private static func checkURL(_ text: String, isPlainAllowed: Bool) throws(ConfigValueError) -> String {
    let isPlain = text.hasPrefix("http://")
    let host = host(of: text)
    guard isPlain || text.hasPrefix("https://"), !host.isEmpty, !text.contains(where: { "?#@\\ ".contains($0) }) else {
      throw ConfigValueError("\"\(text)\" is not the URL of a hub", remedy: "write for example \"https://hub.example\"")
    }
    guard !isPlain || isPlainAllowed || isLoopback(host) else {
      throw ConfigValueError(
        "plain http to another machine shows the device's tokens to the network",
        remedy: "use https, or set allow_plain_http = true on a network that you trust")
    }
    return text
  }

  /// The host of an URL, IPv6 addresses in their brackets.
  private static func host(of url: String) -> Substring {
    guard let scheme = url.firstRange(of: "://") else { return "" }
    let authority = url[scheme.upperBound...].prefix { $0 != "/" }
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return authority[...end] }
    return authority.prefix { $0 != ":" }
  }

  private static func isLoopback(_ host: Substring) -> Bool {
    host == "localhost" || host == "[::1]" || (host.hasPrefix("127.") && host.allSatisfy { "0123456789.".contains($0) })
  }
}
