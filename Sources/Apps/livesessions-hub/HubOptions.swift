import ArgumentParser
import ConfigFile
import Foundation
import HubHTTP
import HubStore
import HubRedis
import HubStoreSQLite
import RedisClient

/// What every command needs: the configuration and the accounts that it names.
struct HubOptions: ParsableArguments {
  static let defaultConfig = "/etc/livesessions/hub.toml"

  @Option(name: .shortAndLong, help: "The configuration file. (default: \(Self.defaultConfig), if it is there)")
  var config: String?

  @Option(help: "The database file, instead of the configuration's.")
  var database: String?

  @Flag(help: "Begin with an empty database, although the one that was there has vanished.")
  var newDatabase = false

  func loadConfiguration() throws -> HubConfiguration {
    var configuration = HubConfiguration()
    if config != nil || SecretFile.exists(path: Self.defaultConfig) {
      do {
        configuration = try HubConfiguration(path: config ?? Self.defaultConfig)
      } catch {
        throw Failure(error.description, exitCode: Failure.configuration)
      }
    }
    if let database { configuration.database = database }
    if database != nil, configuration.redis?.holdsAccounts == true {
      throw Failure(
        "--database has no effect: accounts lie in Redis, see accounts of [redis]", exitCode: Failure.configuration)
    }
    return configuration
  }

  /// Runs `body` with the accounts of the configuration.
  func withStore<Result>(_ body: (any HubStore) async throws -> Result) async throws -> Result {
    try await withStore(of: loadConfiguration(), body)
  }

  /// The same; `onDiskFull` as ``HubStoreSQLite/SQLiteStore/init(path:onDiskFull:)`` has it.
  ///
  /// - Parameter limit: how long to wait for Redis.
  func withStore<Result>(
    of configuration: HubConfiguration, within limit: Duration = .seconds(5),
    onDiskFull: @escaping @Sendable (Bool) -> Void = { _ in }, _ body: (any HubStore) async throws -> Result
  ) async throws -> Result {
    guard let redis = configuration.redis, redis.holdsAccounts else {
      return try await body(openDatabase(configuration.database, onDiskFull: onDiskFull))
    }
    let store = RedisStore(try RedisConnectionSettings(redis))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { await store.run() }
      do {
        try await store.waitUntilReachable(for: limit)
      } catch HubStoreError.unavailable(let reason) {
        throw Failure("accounts: \(reason)")
      }
      return try await body(store)
    }
  }

  private func openDatabase(
    _ path: String, onDiskFull: @escaping @Sendable (Bool) -> Void
  ) throws -> any HubStore {
    let (ownership, mark) = (ServiceOwnership(database: path), DatabaseMark(database: path))
    try mark.check(mayBegin: newDatabase)
    do {
      let store = try SQLiteStore(path: path, onDiskFull: onDiskFull)
      mark.leave()
      ownership.handOver()
      return store
    } catch HubStoreError.diskFull {
      throw Failure("database \(path): its disk is full; free some space there")
    } catch {
      throw Failure("database \(path): \(error)", exitCode: Failure.general)
    }
  }
}
