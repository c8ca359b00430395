import ArgumentParser
import ConfigFile
import Foundation
import HubHTTP
import HubStore
import HubStoreSQLite

/// What every command needs: the configuration and the database that it names.
struct HubOptions: ParsableArguments {
  static let defaultConfig = "/etc/livesessions/hub.toml"

  @Option(name: .shortAndLong, help: "The configuration file. (default: \(Self.defaultConfig), if it is there)")
  var config: String?

  @Option(help: "The database file, instead of the configuration's.")
  var database: String?

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
    return configuration
  }

  /// `onDiskFull` as ``HubStoreSQLite/SQLiteStore/init(path:onDiskFull:)`` has it.
  func openStore(
    _ configuration: HubConfiguration, onDiskFull: @escaping @Sendable (Bool) -> Void = { _ in }
  ) throws -> any HubStore {
    let ownership = ServiceOwnership(database: configuration.database)
    do {
      let store = try SQLiteStore(path: configuration.database, onDiskFull: onDiskFull)
      ownership.handOver()
      return store
    } catch HubStoreError.diskFull {
      throw Failure("database \(configuration.database): its disk is full; free some space there")
    } catch {
      throw Failure("database \(configuration.database): \(error)", exitCode: Failure.general)
    }
  }
}
