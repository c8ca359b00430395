public import ConfigFile
internal import HubCore

extension HubConfiguration {
  /// Reads `hub.toml`; all its mistakes come at once, each with line and column.
  public init(path: String) throws(ConfigErrors) {
    try self.init(ConfigDocument(path: path))
  }

  init(_ document: ConfigDocument) throws(ConfigErrors) {
    var turnFile: (uris: [String], secretFile: String, lifetime: Duration)?
    var redisFiles = RedisSecretFiles()
    var webhookFiles: [WebhookConfiguration.File] = []
    var metricsTokenFile: String?
    self = try document.read { root in
      turnFile = Self.readTurn(root.table("turn"))
      metricsTokenFile = root.string("metrics_token_file")
      webhookFiles = WebhookConfiguration.read(root)
      var configuration = Self(root)
      (configuration.redis, redisFiles) = RedisConfiguration.read(root.table("redis"))
      if configuration.redis?.holdsAccounts == true, root.contains("database") {
        root.addError(
          "database has no effect where accounts of [redis] is true",
          remedy: "remove database; livesessions-hub import-accounts copies its accounts", at: "database")
      }
      return configuration
    }
    try redis?.readSecrets(redisFiles)
    for file in webhookFiles { webhooks.append(try WebhookConfiguration(file)) }
    if let metricsTokenFile { metricsToken = try SecretFile.read(path: metricsTokenFile) }
    guard let turnFile else { return }
    turn = Turn(
      uris: turnFile.uris, secret: try SecretFile.read(path: turnFile.secretFile), lifetime: turnFile.lifetime)
  }

  private init(_ root: ConfigTable) {
    self.init()
    listen = root.value("listen", parse: parseListen) ?? listen
    database = root.string("database", default: database)
    webRoot = root.string("web_root")
    allowedHosts = root.values("allowed_hosts", parse: parseHost) ?? []
    allowedOrigins = root.values("allowed_origins", parse: parseOrigin) ?? []
    trustedProxies = root.values("trusted_proxies", parse: parseAddressRange) ?? trustedProxies
    anonymousLogin = root.bool("anonymous_login", default: false)
    accessTokenLifetime = root.duration(
      "access_token_lifetime", default: accessTokenLifetime, in: .seconds(60)...Duration.seconds(30 * 86_400))
    loginLifetime = root.duration(
      "login_lifetime", default: loginLifetime, in: .seconds(3_600)...Duration.seconds(366 * 86_400))
    statusSocket = root.value("status_socket", parse: parseSocketPath)
    connections = ConnectionLimits(root.table("connections"))
    readClients(root.table("clients"))
  }

  private mutating func readClients(_ table: ConfigTable) {
    heartbeatInterval = table.duration(
      "heartbeat_interval", default: heartbeatInterval, in: .seconds(20)...Duration.seconds(1_800))
    admission.logins = table.integer("logins_per_second", default: admission.logins, in: 1...1_000_000)
    admission.streams = table.integer("streams_per_second", default: admission.streams, in: 1...1_000_000)
  }

  private static func readTurn(
    _ table: ConfigTable
  ) -> (uris: [String], secretFile: String, lifetime: Duration)? {
    let uris = table.values("uris", parse: parseTurnURI)
    let secretFile = table.string("secret_file")
    let lifetime = table.duration("lifetime", default: .seconds(3_600), in: .seconds(60)...Duration.seconds(86_400))
    guard !table.isEmpty else { return nil }
    if uris == nil { table.addMissing("uris", example: #"["turn:turn.example.org:3478"]"#) }
    guard let secretFile else {
      table.addMissing("secret_file", example: #""/etc/livesessions/turn.secret""#)
      return nil
    }
    return (uris ?? [], secretFile, lifetime)
  }
}

extension ConnectionLimits {
  fileprivate init(_ table: ConfigTable) {
    self.init()
    let time = Duration.seconds(1)...Duration.seconds(3_600)
    total = table.integer("total", default: total, in: 16...1_000_000)
    perAddress = table.integer("per_address", default: perAddress, in: 1...1_000_000)
    requestRate = table.integer("request_rate", default: requestRate, in: 1...1_000_000)
    anonymousRequestRate = table.integer(
      "anonymous_request_rate", default: anonymousRequestRate, in: 1...1_000_000)
    anonymousMemory = table.integer("anonymous_memory", default: anonymousMemory >> 20, in: 1...1_024) << 20
    requestTimeout = table.duration("request_timeout", default: requestTimeout, in: time)
    idleTimeout = table.duration("idle_timeout", default: idleTimeout, in: time)
    stallTimeout = table.duration("stall_timeout", default: stallTimeout, in: time)
    uploadRate = table.integer("upload_rate", default: uploadRate, in: 1...1_000_000_000)
  }
}

func parseListen(_ text: String) throws(ConfigValueError) -> ListenAddress {
  guard let address = ListenAddress(text) else {
    throw ConfigValueError(
      "listen is no address: \(text)", remedy: #"write for example "127.0.0.1:8080" or "[::1]:8080""#)
  }
  return address
}

private func parseSocketPath(_ text: String) throws(ConfigValueError) -> String {
  // What a socket's address has room for.
  guard text.hasPrefix("/"), text.utf8.count < 108 else {
    throw ConfigValueError(
      "\(text) is no path of a Unix socket, which begins with / and has 107 bytes at most",
      remedy: #"write for example "/run/livesessions-hub/status.sock""#)
  }
  return text
}

private func parseHost(_ text: String) throws(ConfigValueError) -> String {
  guard !text.isEmpty, !text.contains("/"), !text.contains(" ") else {
    throw ConfigValueError(
      "\(text) is no host", remedy: #"write for example "hub.example.org" or "hub.example.org:8443""#)
  }
  return text
}

private func parseOrigin(_ text: String) throws(ConfigValueError) -> String {
  let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
  guard let scheme, !text.dropFirst(scheme.count).isEmpty, !text.dropFirst(scheme.count).contains("/") else {
    throw ConfigValueError("\(text) is no origin", remedy: #"write for example "https://intranet.example.org""#)
  }
  return text
}

private func parseAddressRange(_ text: String) throws(ConfigValueError) -> AddressRange {
  guard let range = AddressRange(text) else {
    throw ConfigValueError(
      "\(text) is neither an address nor a range", remedy: #"write for example "192.0.2.7", "10.0.0.0/8" or "fd00::/8""#
    )
  }
  return range
}

private func parseTurnURI(_ text: String) throws(ConfigValueError) -> String {
  guard ["turn:", "turns:", "stun:", "stuns:"].contains(where: { text.hasPrefix($0) }) else {
    throw ConfigValueError("\(text) is no TURN or STUN URI", remedy: #"write for example "turn:turn.example.org:3478""#)
  }
  return text
}
