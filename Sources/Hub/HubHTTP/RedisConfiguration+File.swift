internal import ConfigFile

/// Files of `[redis]` whose contents are read once everything else of the configuration is right.
struct RedisSecretFiles {
  var username: String?
  var passwordFile: String?
  var sentinelUsername: String?
  var sentinelPasswordFile: String?
}

extension RedisConfiguration {
  /// Nil for a hub of one node.
  static func read(_ table: ConfigTable) -> (RedisConfiguration?, RedisSecretFiles) {
    let server = readServer(table)
    let files = readLogins(table)
    let tls = readTLS(table, to: server)
    let node = table.value("node", parse: parseNodeName)
    let nodeAddress = table.value("node_address", parse: parseListen)
    let holdsAccounts = table.bool("accounts", default: false)
    guard !table.isEmpty else { return (nil, files) }
    if !table.contains("node") { table.addMissing("node", example: #""hub-1", another for each node"#) }
    var configuration = RedisConfiguration(server: server, node: node ?? "")
    configuration.tls = tls
    configuration.holdsAccounts = holdsAccounts
    configuration.nodeAddress = nodeAddress
    return (configuration, files)
  }

  mutating func readSecrets(_ files: RedisSecretFiles) throws(ConfigErrors) {
    login = try Self.login(files.username, files.passwordFile)
    sentinelLogin = try Self.login(files.sentinelUsername, files.sentinelPasswordFile)
    if let keyFile = tls?.keyFile { try SecretFile.check(path: keyFile) }
  }

  private static func login(_ username: String?, _ file: String?) throws(ConfigErrors) -> Login? {
    guard let file else { return nil }
    return Login(username: username, password: try SecretFile.read(path: file))
  }

  // MARK: Parts

  private static func readServer(_ table: ConfigTable) -> Server {
    let address = table.value("address", parse: parseRedisAddress)
    let sentinels = table.values("sentinels", parse: parseListen)
    let master = table.string("master", default: "livesessions")
    let cluster = table.values("cluster", parse: parseListen)
    guard !table.isEmpty else { return .address("") }
    let places = ["address", "sentinels", "cluster"].filter { table.contains($0) }
    if places.isEmpty { table.addMissing("address", example: #""127.0.0.1:6379""#) }
    for other in places.dropFirst() {
      table.addError("\(places[0]) and \(other) exclude each other", remedy: "remove one of them", at: other)
    }
    table.require("sentinels", for: ["master", "sentinel_username", "sentinel_password_file"])
    for key in ["sentinels", "cluster"] where table.isEmptyArray(key) {
      table.addError("\(key) names no server", remedy: "name at least one, or remove \(key)", at: key)
    }
    if let cluster { return .cluster(cluster) }
    if let sentinels { return .sentinels(sentinels, master: master) }
    return .address(address ?? "")
  }

  private static func readLogins(_ table: ConfigTable) -> RedisSecretFiles {
    let files = RedisSecretFiles(
      username: table.string("username"), passwordFile: table.string("password_file"),
      sentinelUsername: table.string("sentinel_username"), sentinelPasswordFile: table.string("sentinel_password_file"))
    table.require("password_file", for: ["username"])
    table.require("sentinel_password_file", for: ["sentinel_username"])
    return files
  }

  private static func readTLS(_ table: ConfigTable, to server: Server) -> TLS? {
    let isSecure = table.bool("tls", default: false)
    var tls = TLS()
    tls.authorityFile = table.string("ca_file")
    tls.certificateFile = table.string("certificate_file")
    tls.keyFile = table.string("key_file")
    tls.serverName = table.string("server_name")
    table.require("key_file", for: ["certificate_file"])
    table.require("certificate_file", for: ["key_file"])
    guard isSecure else {
      for key in ["ca_file", "certificate_file", "key_file", "server_name"] where table.contains(key) {
        table.addError("\(key) has no effect without TLS", remedy: "add tls = true", at: key)
      }
      return nil
    }
    if case .address(let address) = server, address.hasPrefix("/") {
      table.addError("a Unix socket has no TLS", remedy: "remove tls, or name host and port", at: "tls")
    }
    return tls
  }
}

extension ConfigTable {
  /// Complains of keys that mean nothing without another.
  fileprivate func require(_ needed: String, for keys: [String]) {
    for key in keys where contains(key) && !contains(needed) {
      addError("\(key) has no effect without \(needed)", remedy: "add \(needed), or remove \(key)", at: key)
    }
  }
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
