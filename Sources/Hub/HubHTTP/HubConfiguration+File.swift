public import ConfigFile
internal import HubCore

extension HubConfiguration {
  /// Reads `hub.toml`; all its mistakes come at once, each with line and column.
  public init(path: String) throws(ConfigErrors) {
    try self.init(ConfigDocument(path: path))
  }

  init(_ document: ConfigDocument) throws(ConfigErrors) {
    let keys = try Keys(document)
    self = keys.hub
    try redis?.readSecrets(keys.redis)
    tls = try keys.tls.configuration()
    for file in keys.webhooks { webhooks.append(try WebhookConfiguration(file)) }
    if let metricsTokenFile = keys.metricsTokenFile { metricsToken = try SecretFile.read(path: metricsTokenFile) }
    guard let secretFile = keys.turn.secretFile else { return }
    turn = Turn(
      uris: keys.turn.uris, secret: try SecretFile.read(path: secretFile), lifetime: keys.turn.lifetime)
  }

  /// The file's contents, before secrets are read from the files that it names.
  public struct Keys: SettingGroup {
    var hub = HubConfiguration()
    var metricsTokenFile: String?
    var tls = TLSKeys()
    var turn = TurnKeys()
    var webhooks: [WebhookConfiguration.File] = []
    var push = PushConfiguration.Keys()
    var redis = RedisKeys()

    public init() {}

    public init(path: String) throws(ConfigErrors) { try self.init(ConfigDocument(path: path)) }

    /// - Parameter file: the name that errors show.
    public init(text: String, file: String) throws(ConfigErrors) {
      try self.init(ConfigDocument(text: text, file: file))
    }

    init(_ document: ConfigDocument) throws(ConfigErrors) { self = try document.read(Self.init(root:)) }

    private init(root: ConfigTable) {
      HubConfiguration.sections.read(root, into: &self)
      webhooks = WebhookConfiguration.read(root)
      hub.push = push.configuration
      hub.redis = redis.configuration(root.table("redis"))
      if hub.redis != nil, tls.certificateFile != nil {
        root.addError(
          "[tls] and [redis] exclude each other: nodes hand recordings to one another without TLS",
          remedy: "remove [tls], and let the load balancer do it (guides/hub-nodes.md)", at: "tls")
      }
      if redis.holdsAccounts, root.contains("database") {
        root.addError(
          "database has no effect where accounts of [redis] is true",
          remedy: "remove database; livesessions-hub import-accounts copies its accounts", at: "database")
      }
    }
  }

  struct TurnKeys: SettingGroup {
    var uris: [String] = []
    var secretFile: String?
    var lifetime = Duration.seconds(3_600)

    static func check(_ table: ConfigTable, _ keys: inout TurnKeys) {
      guard !table.isEmpty else { return }
      for setting in settings.map(\.description) where setting.defaultText == nil && !table.contains(setting.name) {
        table.addMissing(setting.name, example: setting.example ?? "")
      }
    }
  }
}

func parseListen(_ text: String) throws(ConfigValueError) -> ListenAddress {
  guard let address = ListenAddress(text) else {
    throw ConfigValueError(
      "listen is no address: \(text)", remedy: #"write for example "127.0.0.1:8080" or "[::1]:8080""#)
  }
  return address
}

func parseSocketPath(_ text: String) throws(ConfigValueError) -> String {
  // What a socket's address has room for.
  guard text.hasPrefix("/"), text.utf8.count < 108 else {
    throw ConfigValueError(
      "\(text) is no path of a Unix socket, which begins with / and has 107 bytes at most",
      remedy: #"write for example "/run/livesessions-hub/status.sock""#)
  }
  return text
}

func parseHost(_ text: String) throws(ConfigValueError) -> String {
  guard !text.isEmpty, !text.contains("/"), !text.contains(" ") else {
    throw ConfigValueError(
      "\(text) is no host", remedy: #"write for example "hub.example.org" or "hub.example.org:8443""#)
  }
  return text
}

func parseOrigin(_ text: String) throws(ConfigValueError) -> String {
  let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
  guard let scheme, !text.dropFirst(scheme.count).isEmpty, !text.dropFirst(scheme.count).contains("/") else {
    throw ConfigValueError("\(text) is no origin", remedy: #"write for example "https://intranet.example.org""#)
  }
  return text
}

func parseAddressRange(_ text: String) throws(ConfigValueError) -> AddressRange {
  guard let range = AddressRange(text) else {
    throw ConfigValueError(
      "\(text) is neither an address nor a range", remedy: #"write for example "192.0.2.7", "10.0.0.0/8" or "fd00::/8""#
    )
  }
  return range
}

func parseTurnURI(_ text: String) throws(ConfigValueError) -> String {
  guard ["turn:", "turns:", "stun:", "stuns:"].contains(where: { text.hasPrefix($0) }) else {
    throw ConfigValueError("\(text) is no TURN or STUN URI", remedy: #"write for example "turn:turn.example.org:3478""#)
  }
  return text
}
