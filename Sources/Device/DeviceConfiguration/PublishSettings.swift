public import ConfigFile

/// `[[publish]]`: a server to which the device pushes its video and sound by WHIP (RFC 9725).
public struct PublishSettings: Sendable, Hashable {
  public static let maxCount = 4

  public enum Occasion: String, Sendable, CaseIterable {
    case always, calls, events
  }

  public var name = ""
  public var url = ""
  public var tokenFile: String?
  public var occasion = Occasion.always
  /// As policies name it; nil for the main one.
  public var camera: String?
  public var hasSound = true
  /// Certificates of authorities that are trusted besides the system's.
  public var authorityFile: String?

  public init() {}

  /// The file below `$CREDENTIALS_DIRECTORY` that systemd's `LoadCredential=` may provide.
  public var credentialName: String { "publish-\(name)" }

  /// Without the query, which may hold a secret.
  public var shownURL: String { String(url.prefix { $0 != "?" }) }

  /// Reads the bearer token from the configured file or else from systemd's credentials.
  ///
  /// - Parameter credentialsDirectory: the value of `$CREDENTIALS_DIRECTORY`, if set.
  /// - Returns: nil when neither is there.
  /// - Throws: when the file is missing, empty, or readable by others, or the token cannot stand in a request.
  public func token(credentialsDirectory: String?) throws(ConfigErrors) -> String? {
    if let tokenFile { return try Self.token(path: tokenFile) }
    guard let credentialsDirectory else { return nil }
    let path = "\(credentialsDirectory)/\(credentialName)"
    return SecretFile.exists(path: path) ? try Self.token(path: path) : nil
  }

  /// Reads a token's file.
  public static func token(path: String) throws(ConfigErrors) -> String {
    let token = try SecretFile.read(path: path)
    guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw ConfigErrors([
        ConfigError(
          file: path, position: nil, problem: "the token has characters that no request can bear",
          remedy: "write it alone in the first line, without \"Bearer\"")
      ])
    }
    return token
  }
}

/// Reads `[[publish]]`.
struct PublishReader {
  private struct Keys: SettingGroup {
    var publish = PublishSettings()
    var name: String?
    var url: String?
    var isPlainAllowed = false
  }

  static let section = SettingSection<DeviceConfiguration>(
    "publish", .array, whole: \.publications, isSampled: false,
    """
    A server to which the device pushes its video and sound by WHIP: an SFU such as Janus, LiveKit or MediaMTX \
    (guides/publish.md). The frames are those that callers get. Up to \(PublishSettings.maxCount).
    """, settings: settings)

  private static let settings: [Setting<Keys>] = [
    Setting(
      "name", \.name, .text("string", text: \.self, parse: name), example: "\"wall\"", isRequired: true,
      "1 to 32 of a to z, 0 to 9, - and _; no two have the same."),
    Setting(
      "url", \.url, urlType, example: "\"https://sfu.example/whip/front-door\"", isRequired: true,
      "The server's WHIP endpoint; it may have a query. Plain http is for a server on this machine."),
    Setting(
      "allow_plain_http", \.isPlainAllowed, .bool,
      "Permit plain http to another machine, on a network that you trust as you trust this machine."),
    Setting(
      "token_file", \.publish.tokenFile, .absolutePath, example: "\"/etc/livesessions/publish-token\"",
      """
      The server's bearer token, in the first line of a file of mode 0600, read at each request. Without it the token \
      comes from systemd (`LoadCredential=publish-NAME:/path`), else requests bear none.
      """),
    Setting(
      "when", \.publish.occasion, .choice(),
      """
      `always`; while a call is up (`calls`); or while a source of events notices something, and 30 s longer (`events`).
      """),
    Setting(
      "camera", "name", example: "\"yard\"",
      "The name of a [[camera]], or mosaic for all in one frame; that of [video] without it."),
    Setting("sound", \.publish.hasSound, .bool, "Whether sound is pushed, too."),
    Setting(
      "ca_file", \.publish.authorityFile, .absolutePath, example: "\"/etc/livesessions/sfu-ca.pem\"",
      "Certificates (PEM) of authorities that are trusted besides the system's."),
  ]

  static func publications(
    _ root: ConfigTable, _ video: VideoSettings, _ audio: AudioSettings, views: [String]
  ) -> [PublishSettings] {
    let tables = root.tables("publish")
    if tables.count > PublishSettings.maxCount {
      root.addError(
        "there are \(tables.count) servers to publish to, more than \(PublishSettings.maxCount)", at: "publish")
    }
    var names: Set<String> = []
    return tables.compactMap { table in
      let publication = publication(table, video, audio, views)
      if let publication, !names.insert(publication.name).inserted {
        table.addError(
          "another [[publish]] is named \"\(publication.name)\"", remedy: "give each its own name", at: "name")
      }
      return publication
    }
  }

  /// Nil where the file has mistakes, which are logged.
  private static func publication(
    _ table: ConfigTable, _ video: VideoSettings, _ audio: AudioSettings, _ views: [String]
  ) -> PublishSettings? {
    let keys = settings.values(of: table)
    var publication = keys.publish
    publication.camera = table.reference("camera", among: views, "[[camera]]")
    if publication.camera != nil, !video.hasCamera {
      table.addError("camera chooses none, since the camera of [video] is \"none\"", remedy: "remove it", at: "camera")
    }
    if !video.hasCamera, audio.microphone == .none || !publication.hasSound {
      table.addError(
        "there is nothing to publish: neither a camera nor sound", remedy: "set camera in [video], or sound = true")
    }
    guard let name = keys.name, let url = keys.url else { return nil }
    (publication.name, publication.url) = (name, url)
    return publication
  }

  private static func name(_ text: String) throws(ConfigValueError) -> String {
    let isUsual = text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || "-_".utf8.contains($0) }
    guard (1...32).contains(text.utf8.count), isUsual else {
      throw ConfigValueError("name cannot be \"\(text)\"", remedy: "take 1 to 32 of a to z, 0 to 9, - and _")
    }
    return text
  }

  private static let urlType = SettingType<String>(
    "URL", form: .text,
    read: { table, key in
      table.value(key) { text throws(ConfigValueError) in
        let query = text.firstIndex(of: "?").map { text[$0...] } ?? ""
        guard query.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !query.contains("#"), text.utf8.count <= 2_048
        else {
          throw ConfigValueError("the query of url is malformed", remedy: "percent-encode it")
        }
        _ = try ServiceURL.check(
          String(text.dropLast(query.count)), of: "a WHIP endpoint", example: "https://sfu.example/whip/front-door",
          exposure: "shows the token to the network", isPlainAllowed: table.isTrue("allow_plain_http"))
        return text
      }
    }, text: TOMLText.string)
}
