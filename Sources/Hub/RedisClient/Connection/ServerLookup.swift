/// Opens a connection to a server that is ready: the one that is named, or the master that sentinels name.
///
/// The sentinels are asked in any order, since the first may be where the dead master was, until one names a server that calls itself master
/// (https://redis.io/docs/latest/develop/reference/sentinel-clients).
struct ServerLookup: Sendable {
  let connector: Connector
  /// Whether replicas are refused.
  let needsMaster: Bool

  private var settings: RedisConnectionSettings { connector.settings }

  func open() async throws(RedisDisconnection) -> OpenConnection {
    switch settings.endpoint {
    case .tcp(let address): try await open(.tcp(address), needsMaster: needsMaster)
    case .unixSocket(let path): try await open(.unixSocket(path: path), needsMaster: needsMaster)
    case .sentinels(let sentinels, let name): try await openMaster(name, sentinels)
    case .cluster(let addresses): try await openAny(of: addresses)
    }
  }

  private func open(_ target: Connector.Target, needsMaster: Bool) async throws(RedisDisconnection) -> OpenConnection {
    let connection = try await connector.open(target)
    do throws(RedisDisconnection) {
      try await Greeting(connection: connection, settings: settings).perform(needsMaster: needsMaster)
    } catch {
      connection.close(error)
      throw error
    }
    return connection
  }

  private func openAny(
    of addresses: [RedisConnectionSettings.Address]
  ) async throws(RedisDisconnection) -> OpenConnection {
    var failure = RedisDisconnection.unreachable("no server of the cluster is named")
    for address in addresses.shuffled() where !Task.isCancelled {
      do throws(RedisDisconnection) {
        return try await open(.tcp(address), needsMaster: needsMaster)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// The last failure is that of the greeting with a server, if any came so far: it is the most informative.
  private func openMaster(
    _ name: String, _ sentinels: [RedisConnectionSettings.Address]
  ) async throws(RedisDisconnection) -> OpenConnection {
    var failure = RedisDisconnection.noMaster(name: name)
    for sentinel in sentinels.shuffled() where !Task.isCancelled {
      guard let master = try? await askSentinel(sentinel, name) else { continue }
      do throws(RedisDisconnection) {
        return try await open(.tcp(master), needsMaster: true)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// A sentinel says a few words. Of more than this it is no use, and all sentinels together must not fill the memory
  /// that one reply of Redis' own may take.
  private static let sentinelReplyBytes = 65_536
  private static let sentinelReplyElements = 64

  private func askSentinel(
    _ sentinel: RedisConnectionSettings.Address, _ name: String
  ) async throws -> RedisConnectionSettings.Address? {
    let connection = try await connector.expecting(
      replyBytes: Self.sentinelReplyBytes, replyElements: Self.sentinelReplyElements
    ).open(.tcp(sentinel))
    defer { connection.close(.shutDown) }
    try await Greeting(connection: connection, settings: settings).authenticate(settings.sentinelCredentials)
    let reply = try await connection.send(
      RedisCommand("SENTINEL", "get-master-addr-by-name", name, keyPosition: nil))
    guard let parts = reply.elements, parts.count == 2, let host = parts[0].text else { return nil }
    return RedisConnectionSettings.Address(namedHost: host, port: parts[1].integer)
  }
}
