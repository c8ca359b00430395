internal import ConfigFile

/// `[redis]` as the file has it. The files that it names are read once everything else of the configuration is right.
struct RedisKeys: SettingGroup {
  var address: String?
  var sentinels: [ListenAddress]?
  var master = "livesessions"
  var cluster: [ListenAddress]?
  var username: String?
  var passwordFile: String?
  var sentinelUsername: String?
  var sentinelPasswordFile: String?
  var isSecure = false
  var tls = RedisConfiguration.TLS()
  var holdsAccounts = false
  var node: String?
  var nodeAddress: ListenAddress?

  static let settings: [Setting<RedisKeys>] = [
    Setting(
      "address", \.address, .text("host and port, or path", text: \.self, parse: parseRedisAddress),
      example: "\"127.0.0.1:6379\"", "Host and port, or the path of a Unix socket."),
    Setting(
      "sentinels", \.sentinels, .texts("list of hosts and ports", parse: parseListen),
      example: "[\"192.0.2.11:26379\", \"192.0.2.12:26379\", \"192.0.2.13:26379\"]",
      "Instead of an address: sentinels, which know the present master."),
    Setting("master", \.master, .string, "The name of the master among the sentinels."),
    Setting(
      "sentinel_username", \.sentinelUsername, .string, example: "\"livesessions\"",
      "If the sentinels ask for a login of their own."),
    Setting(
      "sentinel_password_file", \.sentinelPasswordFile, .string, example: "\"/etc/livesessions/sentinel.password\"",
      "A file of mode 0600 with the password for the sentinels."),
    Setting(
      "cluster", \.cluster, .texts("list of hosts and ports", parse: parseListen),
      example: "[\"192.0.2.31:6379\", \"192.0.2.32:6379\", \"192.0.2.33:6379\"]",
      "Instead of an address: some servers of a Redis Cluster, which name the others."),
    Setting(
      "username", \.username, .string, example: "\"livesessions\"", "An ACL user, if not \"default\"."),
    Setting(
      "password_file", \.passwordFile, .string, example: "\"/etc/livesessions/redis.password\"",
      "A file of mode 0600 with the password."),
    Setting("tls", \.isSecure, .bool, "TLS to Redis and sentinels."),
    Setting(
      "ca_file", \.tls.authorityFile, .string, example: "\"/etc/livesessions/redis-ca.pem\"",
      "Certificates (PEM) of authorities that are trusted besides the system's."),
    Setting(
      "certificate_file", \.tls.certificateFile, .string, example: "\"/etc/livesessions/redis.pem\"",
      "A certificate (PEM), for servers that ask for one."),
    Setting(
      "key_file", \.tls.keyFile, .string, example: "\"/etc/livesessions/redis.key\"",
      "The certificate's key (PEM), in a file of mode 0600."),
    Setting(
      "server_name", \.tls.serverName, .string, example: "\"redis.example.org\"",
      "The name in the servers' certificates, if it is not the address."),
    Setting(
      "accounts", \.holdsAccounts, .bool,
      """
      Accounts and signing keys are in Redis as well, for nodes on several machines. Then without `database`, and Redis \
      has to write to disk. Otherwise all nodes need the same database.
      """),
    Setting(
      "node", \.node, .text("string", text: \.self, parse: parseNodeName), example: "\"hub-1\"",
      "What this node is called in logs; no two nodes have the same name. Required with this table."),
    Setting(
      "node_address", \.nodeAddress, .text("host and port", text: { "\($0)" }, parse: parseListen),
      example: "\"192.0.2.21:8080\"",
      """
      Where the other nodes reach this one, for archives that arrive elsewhere than where they are asked for. Without \
      it `listen`.
      """),
  ]

  /// Nil for a hub of one node.
  func configuration(_ table: ConfigTable) -> RedisConfiguration? {
    guard !table.isEmpty else { return nil }
    if !table.contains("node") { table.addMissing("node", example: #""hub-1", another for each node"#) }
    checkLogins(table)
    var configuration = RedisConfiguration(server: server(table), node: node ?? "")
    configuration.tls = checkedTLS(table, to: configuration.server)
    configuration.holdsAccounts = holdsAccounts
    configuration.nodeAddress = nodeAddress
    return configuration
  }

  private func server(_ table: ConfigTable) -> RedisConfiguration.Server {
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

  private func checkLogins(_ table: ConfigTable) {
    table.require("password_file", for: ["username"])
    table.require("sentinel_password_file", for: ["sentinel_username"])
  }

  private func checkedTLS(_ table: ConfigTable, to server: RedisConfiguration.Server) -> RedisConfiguration.TLS? {
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

extension RedisConfiguration {
  mutating func readSecrets(_ keys: RedisKeys) throws(ConfigErrors) {
    login = try Self.login(keys.username, keys.passwordFile)
    sentinelLogin = try Self.login(keys.sentinelUsername, keys.sentinelPasswordFile)
    if let keyFile = tls?.keyFile { try SecretFile.check(path: keyFile) }
  }

  private static func login(_ username: String?, _ file: String?) throws(ConfigErrors) -> Login? {
    guard let file else { return nil }
    return Login(username: username, password: try SecretFile.read(path: file))
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
