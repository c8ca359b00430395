import ArgumentParser
import HubStore
import Signalling

struct ListLoginsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list-logins", abstract: "List where a person is logged in.")

  @OptionGroup var options: HubOptions
  @Option(parsing: .unconditional, help: "The title or id of the person.") var title: String
  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let user = try await knownAccount(title, in: store)
        let logins = try await changingAccounts { try await store.logins(ofUser: user.id) }
        let listed = logins.sorted { $0.renewedAt > $1.renewedAt }.map { ListedLogin($0) }
        if json { return try printJSON(listed) }
        ListedLogin.heading.printTable(listed.map(\.row), shortened: [4])
      }
    }
  }
}

struct EndLoginsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end-logins", abstract: "Log a person out, of one login or of all; takes effect within seconds.")

  @OptionGroup var options: HubOptions
  @Option(parsing: .unconditional, help: "The title or id of the person.") var title: String
  @Option(parsing: .unconditional, help: "The login to end, as list-logins names it. (default: all)") var id: String?

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let user = try await knownAccount(title, in: store)
        let count = try await changingAccounts { try await end(of: user, in: store) }
        guard count > 0 || id == nil else { throw Failure("\"\(user.title)\" has no such login") }
        await LocalAudit.record(
          .loginEnded, on: AuditSubject(user), groups: user.groups, in: store, of: options)
        printError("ended \(count) login\(count == 1 ? "" : "s") of \"\(user.title)\"")
      }
    }
  }

  private func end(of user: UserRecord, in store: any HubStore) async throws -> Int {
    let logins = Logins(store: store)
    guard let id else { return try await logins.endAll(of: user.id, at: currentTime()).count }
    guard try await store.login(id: id)?.userID == user.id else { return 0 }
    return try await logins.end(id, of: user.id, at: currentTime()) ? 1 : 0
  }
}

/// What `list-logins --json` shows of a login.
private struct ListedLogin: Encodable {
  var id: String
  /// Milliseconds since 1970.
  var startedAt: Int64
  var renewedAt: Int64
  var address: String
  var client: String

  init(_ login: LoginRecord) {
    id = login.id
    (startedAt, renewedAt) = (login.startedAt, login.renewedAt)
    (address, client) = (login.origin.address, login.origin.client)
  }

  static let heading = TableHeading(["ID", "STARTED", "RENEWED", "ADDRESS", "CLIENT"])

  var row: [String] { [id, TableHeading.time(startedAt), TableHeading.time(renewedAt), address, client] }
}
