public import ConfigFile
public import TLSClient

/// `[hub]`: where the device is announced, and as whom.
public struct HubSettings: SettingGroup, Hashable {
  /// The file below `$CREDENTIALS_DIRECTORY` that systemd's `LoadCredential=` provides.
  public static let credentialName = "enrolment-key"

  /// `https://host[:port]`, or `http://` for a hub on this machine.
  public var url = ""
  /// Whether plain http may go to another machine.
  public var isPlainAllowed = false
  /// The file that holds the enrolment key; nil when systemd provides it.
  public var enrolmentKeyFile: String?
  /// Through which the device reaches other machines.
  public var proxy: HTTPProxy?
  /// The file with `user:password` for the proxy; nil when systemd provides it.
  public var proxyCredentialsFile: String?
  /// Whether operators at the hub may see what the camera sees now.
  public var showsSnapshots = false
  /// Whether operators at the hub may see what the device has noticed, with images, and when it recorded.
  public var showsTimeline = false

  public init() {}

  static let settings: [Setting<HubSettings>] = [
    Setting(
      "url", \.url, urlType, example: "\"http://127.0.0.1:8080\"", isRequired: true, isSampled: true,
      "Where the device is announced. Plain http is for a hub on this machine; elsewhere use https."),
    Setting(
      "allow_plain_http", \.isPlainAllowed, .bool,
      "Permit plain http to another machine, on a network that you trust as you trust this machine."),
    Setting(
      "enrolment_key_file", \.enrolmentKeyFile, .absolutePath, example: "\"/etc/livesessions/enrolment-key\"",
      """
      The secret that the hub gave this device, in a file with mode 0600. Without it the key comes from systemd \
      (`LoadCredential=enrolment-key:/path`), else the device logs in anonymously, if the hub allows that.
      """),
    Setting(
      "proxy", \.proxy, .text("URL", parse: proxy), example: "\"http://proxy.example:3128\"",
      """
      An HTTP proxy through which the device reaches hub, stores, time stamps, servers of [[publish]] and TURN over TLS, by \
      CONNECT (guides/network.md). Without it `HTTPS_PROXY` of the service's environment holds. `NO_PROXY` names exceptions.
      """),
    Setting(
      "proxy_credentials_file", \.proxyCredentialsFile, .absolutePath,
      example: "\"/etc/livesessions/proxy-credentials\"",
      """
      USER:PASSWORD for the proxy, in a file with mode 0600. Without it they come from systemd \
      (`LoadCredential=proxy-credentials:/path`), where the proxy wants any.
      """),
    Setting(
      "snapshots", \.showsSnapshots, .bool,
      """
      Whether operators at the hub may request snapshots of the cameras while there is no call (guides/cameras.md).
      """),
    Setting(
      "timeline", \.showsTimeline, .bool,
      """
      Whether operators at the hub may see the device's events, with images, and when it recorded \
      (reference/events.md).
      """),
  ]

  private static let urlType = SettingType<String>(
    "URL", form: .text,
    read: { table, key in
      table.value(key) { text throws(ConfigValueError) in
        try ServiceURL.check(
          text, of: "a hub", example: "https://hub.example", exposure: "shows the device's tokens to the network",
          isPlainAllowed: table.isTrue("allow_plain_http"))
      }
    }, text: TOMLText.string)

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
