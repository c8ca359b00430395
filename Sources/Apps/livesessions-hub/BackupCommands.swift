import ArgumentParser
import Foundation
import HubHTTP
import HubStoreSQLite
import Signalling

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the database into a new file, also while the hub runs.",
    discussion: """
      The file holds the keys that sign tokens, and has mode 0600. To copy hub.sqlite itself would lose what lies in \
      hub.sqlite-wal.
      """)

  @OptionGroup var options: HubOptions
  @Argument(help: "The new file.") var file: String

  func run() async throws {
    try await reportingFailures {
      let database = try options.databaseFile()
      try backingUp { () throws(DatabaseBackupError) in try DatabaseBackup(database: database).write(to: file) }
      ServiceOwnership(database: database).handOver()
      try await options.withStore { store in
        await LocalAudit.record(.command, changes: [AuditChange(.command, to: "backup")], in: store, of: options)
      }
      printError("\(file): a backup of \(database); keep it secret")
    }
  }
}

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put a backup in the place of the database, while the hub is stopped.",
    discussion: "The database that was there stays beside it.")

  @OptionGroup var options: HubOptions
  @Argument(help: "The file that backup has written.") var file: String

  func run() async throws {
    try await reportingFailures {
      let database = try options.databaseFile()
      let time = Date().formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
      let restored = try backingUp { () throws(DatabaseBackupError) in
        try DatabaseBackup(database: database).restore(from: file, keepingAs: ".before-\(time)")
      }
      DatabaseMark(database: database).leave()
      ServiceOwnership(database: database).handOver()
      try await options.withStore { store in
        await LocalAudit.record(.command, changes: [AuditChange(.command, to: "restore")], in: store, of: options)
      }
      printError("\(database): \(restored.accounts) accounts restored from \(file)")
      if let previous = restored.previous { printError("the database that was there is \(previous) now") }
      printError("start the hub: systemctl start livesessions-hub")
    }
  }
}

extension HubOptions {
  /// The database file; refuses where accounts are elsewhere.
  fileprivate func databaseFile() throws -> String {
    let configuration = try loadConfiguration()
    guard configuration.redis?.holdsAccounts != true else {
      throw Failure(
        "accounts are in Redis, whose own backup has them: /usr/share/doc/livesessions-hub/guides/hub-nodes.md",
        exitCode: Failure.configuration)
    }
    return configuration.database
  }
}

private func backingUp<Value>(_ body: () throws(DatabaseBackupError) -> Value) throws(Failure) -> Value {
  do {
    return try body()
  } catch {
    throw Failure(error.description)
  }
}
