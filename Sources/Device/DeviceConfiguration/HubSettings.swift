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
  /// Whether operators at the hub may see what the device has noticed, with pictures, and when it recorded.
  public var showsTimeline: Bool

  init(_ table: ConfigTable) {
    let isPlainAllowed = table.bool("allow_plain_http", default: false)
    url =
      table.value("url") { text throws(ConfigValueError) in
        try ServiceURL.check(
          text, of: "a hub", example: "https://hub.example", exposure: "shows the device's tokens to the network",
          isPlainAllowed: isPlainAllowed)
      }
      ?? ""
    if !table.contains("url") { table.addMissing("url", example: "\"http://127.0.0.1:8080\"") }
    enrolmentKeyFile = table.absolutePath("enrolment_key_file")
    showsSnapshots = table.bool("snapshots", default: false)
    showsTimeline = table.bool("timeline", default: false)
  }

  /// Whether the hub runs on this machine.
  public var isLoopback: Bool { ServiceURL.isLoopback(ServiceURL.host(of: url)) }

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
