public import ConfigFile
internal import HubCore

extension HubConfiguration {
  /// Reads `hub.toml`; all its mistakes come at once, each with line and column.
  public init(path: String) throws(ConfigErrors) {
    try self.init(ConfigDocument(path: path))
  }

  init(_ document: ConfigDocument) throws(ConfigErrors) {
    var turnFile: (uris: [String], secretFile: String, lifetime: Duration)?
    var redisPasswordFile: String?
    self = try document.read { root in
      turnFile = Self.readTurn(root.table("turn"))
      var configuration = Self(root)
      (configuration.redis, redisPasswordFile) = Self.readRedis(root.table("redis"))
      return configuration
    }
    if let redisPasswordFile { redis?.password = try SecretFile.read(path: redisPasswordFile) }
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
    connections = ConnectionLimits(root.table("connections"))
  }

  private static func readRedis(_ table: ConfigTable) -> (RedisConfiguration?, passwordFile: String?) {
    let address = table.value("address", parse: parseRedisAddress)
    let sentinels = table.values("sentinels", parse: parseListen)
    let master = table.string("master", default: "livesessions")
    let username = table.string("username")
    let passwordFile = table.string("password_file")
    let node = table.value("node", parse: parseNodeName)
    let nodeAddress = table.value("node_address", parse: parseListen)
    guard !table.isEmpty else { return (nil, nil) }
    if !table.contains("node") { table.addMissing("node", example: #""hub-1", another for each node"#) }
    if !table.contains("address"), !table.contains("sentinels") {
      table.addMissing("address", example: #""127.0.0.1:6379""#)
    }
    if table.contains("address"), table.contains("sentinels") {
      table.addError("address and sentinels exclude each other", remedy: "remove one of them", at: "sentinels")
    }
    let server: RedisConfiguration.Server =
      sentinels.map { .sentinels($0, master: master) } ?? .address(address ?? "")
    return (
      RedisConfiguration(server: server, username: username, node: node ?? "", nodeAddress: nodeAddress), passwordFile
    )
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
    requestTimeout = table.duration("request_timeout", default: requestTimeout, in: time)
    idleTimeout = table.duration("idle_timeout", default: idleTimeout, in: time)
    stallTimeout = table.duration("stall_timeout", default: stallTimeout, in: time)
    uploadRate = table.integer("upload_rate", default: uploadRate, in: 1...1_000_000_000)
  }
}

private func parseListen(_ text: String) throws(ConfigValueError) -> ListenAddress {
  guard let address = ListenAddress(text) else {
    throw ConfigValueError(
      "listen is no address: \(text)", remedy: #"write for example "127.0.0.1:8080" or "[::1]:8080""#)
  }
  return address
}

private func parseRedisAddress(_ text: String) throws(ConfigValueError) -> String {
  guard text.hasPrefix("/") || ListenAddress(text) != nil else {
    throw ConfigValueError(
      "\(text) is neither host and port nor the path of a socket",
      remedy: #"write for example "127.0.0.1:6379" or "/run/redis/redis-server.sock""#)
  }
  return text
}

private func parseNodeName(_ text: String) throws(ConfigValueError) -> String {
  let isName = text.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: false
    }
  }
  guard isName, (1...64).contains(text.utf8.count) else {
    throw ConfigValueError("\(text) is no name for a node", remedy: #"write for example "hub-1""#)
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
