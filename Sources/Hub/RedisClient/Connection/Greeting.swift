/// The greeting of a new connection before its use: `AUTH`, `CLIENT SETNAME`, whether the server is ready and
/// a master, and the libraries of functions.
struct Greeting {
  let connection: OpenConnection
  let settings: RedisConnectionSettings

  func perform(needsMaster: Bool) async throws(RedisDisconnection) {
    try await authenticate(settings.credentials)
    try await introduce()
    if needsMaster {
      try await checkRole()
      for library in settings.libraries { try await install(library) }
    }
  }

  /// The server's message about `AUTH` may repeat the password; only its code is kept.
  func authenticate(_ credentials: RedisConnectionSettings.Credentials?) async throws(RedisDisconnection) {
    guard let credentials else { return }
    var command = RedisCommand("AUTH", keyPosition: nil)
    if let username = credentials.username { command.append(username) }
    command.append(credentials.password)
    _ = try await run(command, "AUTH")
  }

  private func introduce() async throws(RedisDisconnection) {
    let commands = [
      RedisCommand("CLIENT", "SETNAME", settings.clientName, keyPosition: nil), RedisCommand("PING", keyPosition: nil),
    ]
    let replies = try await run(commands)
    if let error = replies[1].error { throw .refused(command: "PING", code: error.code) }
  }

  /// For an account without the permission to ask, the server's `-READONLY` decides.
  private func checkRole() async throws(RedisDisconnection) {
    let reply = try await run([RedisCommand("ROLE", keyPosition: nil)])[0]
    guard let role = reply.elements?.first?.text else { return }
    if role != "master" { throw .isReplica }
  }

  private func install(_ library: RedisFunctionLibrary) async throws(RedisDisconnection) {
    let listing = try await run(
      RedisCommand("FUNCTION", "LIST", "LIBRARYNAME", library.name, keyPosition: nil), "FUNCTION LIST")
    if listing.elements?.isEmpty == false { return }
    _ = try await run(.load(library), "FUNCTION LOAD")
  }

  /// The reply of a command that has to succeed.
  private func run(_ command: RedisCommand, _ name: String) async throws(RedisDisconnection) -> RedisValue {
    let reply = try await run([command])[0]
    guard let error = reply.error else { return reply }
    throw error.code == "NOPERM" ? .noPermission(command: name) : .refused(command: name, code: error.code)
  }

  private func run(_ commands: [RedisCommand]) async throws(RedisDisconnection) -> [RedisValue] {
    do throws(RedisFailure) {
      return try await connection.send(commands)
    } catch {
      throw error.disconnection
    }
  }
}

extension RedisFailure {
  /// Why the connection ended, for those to whom the commands do not matter.
  var disconnection: RedisDisconnection {
    switch cause {
    case .connectionLost(let reason), .notConnected(let reason): reason
    case .failover: .isReplica
    case .timedOut, .overloaded: .responseOverdue
    case .subscriptionRefused(let code): .refused(command: "SUBSCRIBE", code: code)
    case .shutDown: .shutDown
    }
  }
}

extension RedisCommand {
  /// Replaces a library of the same name.
  public static func load(_ library: RedisFunctionLibrary) -> RedisCommand {
    RedisCommand("FUNCTION", "LOAD", "REPLACE", library.code, keyPosition: nil)
  }
}
