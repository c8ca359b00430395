import ArgumentParser
import Foundation
import HubStore
import HubStoreSQLite
import Signalling

struct ImportAccountsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import-accounts",
    abstract:
      "Copy accounts and signing keys from a database file to where the configuration has accounts, such as Redis.")

  @OptionGroup var options: HubOptions

  @Option(help: "The database file that they are in.")
  var from: String

  func run() async throws {
    try await reportingFailures {
      guard FileManager.default.fileExists(atPath: from) else { throw Failure("\(from): no such file") }
      try await options.withStore { store in
        let counts = try await changingAccounts {
          try await AccountImport(from: SQLiteStore(path: from), to: store).run()
        }
        await LocalAudit.record(
          .command, changes: [AuditChange(.command, to: "import-accounts")], in: store, of: options)
        printError("imported \(counts.users) accounts and \(counts.keys) signing keys; restart nodes that run already")
      }
    }
  }
}
