public import ConfigFile

/// `[http]`: the methods of the control socket, for programs on this machine that speak HTTP.
public struct HTTPSettings: SettingGroup, Hashable {
  /// What who bears the token may do.
  public enum Access: String, Sendable, CaseIterable {
    case full
    case monitoring
  }

  /// The fewest characters of a token; shorter ones could be guessed.
  public static let shortestToken = 16

  /// Nil listens nowhere.
  public var listen: LocalAddress?
  public var tokenFile: String?
  public var access = Access.full

  public init() {}

  static let settings: [Setting<HTTPSettings>] = [
    Setting(
      "listen", \.listen, .text("address of loopback with its port, or path of a Unix socket", parse: address),
      example: "\"127.0.0.1:8090\"",
      """
      Where programs find the methods of the control socket, snapshots and events by HTTP (reference/http.md): an address of \
      loopback, or the path of a Unix socket, which the group `livesessions` can use. An address that other machines reach \
      is refused. Without it nothing listens.
      """),
    Setting(
      "token_file", \.tokenFile, .absolutePath, example: "\"/etc/livesessions/http-token\"",
      """
      A file of mode 0600, the daemon's user's own, whose first line each request must bear (`Authorization: Bearer`): 16 \
      characters at least, such as those of `openssl rand -hex 32`. It is read at each request. Required on loopback.
      """),
    Setting(
      "access", \.access, .choice(),
      "`monitoring` permits what the monitor socket does: to see what the device does, without snapshots, and change nothing."
    ),
  ]

  static func check(_ table: ConfigTable, _ settings: inout HTTPSettings) {
    guard case .loopback = settings.listen, settings.tokenFile == nil else { return }
    table.addError(
      "every user of this machine reaches listen, so requests must bear a token",
      remedy: "make one with: openssl rand -hex 32, and name its file in token_file", at: "listen")
  }

  private static func address(_ text: String) throws(ConfigValueError) -> LocalAddress {
    try .parse(
      text, key: "listen", example: "127.0.0.1:8090", exposure: "let other machines control the device without TLS")
  }

  /// The token of a file.
  ///
  /// - Throws: when the file is missing, empty, or readable by others, or the token is short.
  public static func token(path: String) throws(ConfigErrors) -> String {
    let token = try SecretFile.read(path: path)
    guard token.utf8.count >= shortestToken else {
      throw ConfigErrors([
        ConfigError(
          file: path, position: nil, problem: "the token has fewer than \(shortestToken) characters",
          remedy: "make one with: openssl rand -hex 32")
      ])
    }
    return token
  }
}
