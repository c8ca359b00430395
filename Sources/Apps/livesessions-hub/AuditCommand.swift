public import ArgumentParser
import CommandSuggestions
import HubStore
import SafeText
public import Signalling

struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Show who did what to whom at the hub, the newest first.",
    discussion: "Off a terminal it prints a line with tabs for each entry, without a heading.")

  @OptionGroup var options: HubOptions
  @Option(
    help: "Nothing from before this time, \(TimeExpression.examples).", transform: TimeExpression.parse)
  var since: TimeExpression?
  @Option(parsing: .unconditional, help: "Entries by or about this title or id.") var user: String?
  @Option(help: "Entries of this kind.") var kind: AuditKind?
  @Option(help: "How many entries.") var limit = 200
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be 1 to 100000") }
  }

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let userID = try await changingAccounts { try await id(in: store) }
        let log = AuditLog(store: store, time: currentTime)
        var entries: [AuditEntry] = []
        var before: String?
        repeat {
          let query = AuditQuery(
            before: before, limit: limit - entries.count, kind: kind?.rawValue, userID: userID,
            since: since?.milliseconds,
            groups: nil)
          let page = try await changingAccounts { try await log.page(query) }
          entries += page.items
          before = page.next
        } while before != nil && entries.count < limit
        if json { return try printJSON(entries) }
        Self.heading.printTable(entries.map(Self.row), shortened: [5, 4])
      }
    }
  }

  /// A user that is gone is found by its id.
  private func id(in store: any HubStore) async throws -> String? {
    guard let user else { return nil }
    return try await store.user(title: user)?.id ?? user
  }

  private static let heading = TableHeading(["TIME", "WHAT", "OUTCOME", "WHO", "WHOM", "DETAILS"])

  private static func row(_ entry: AuditEntry) -> [String] {
    let times = entry.count > 1 ? " (\(entry.count) times)" : ""
    return [
      TableHeading.time(entry.at), entry.kind + times, entry.outcome.rawValue, name(of: entry.actor),
      entry.subject.map { "\($0.kind.rawValue) \($0.title ?? $0.id)" } ?? "-",
      entry.changes.map(text).joined(separator: ", "),
    ]
  }

  private static func name(of actor: AuditActor) -> String {
    let who =
      switch actor.kind {
      case .account: actor.title ?? actor.id ?? "-"
      case .guest: "guest \(actor.title ?? "-")"
      case .localAdministrator: "local administrator \(actor.title ?? "-")"
      case .unknown: "unknown"
      case .hub: "hub"
      }
    return actor.address.map { "\(who) from \($0)" } ?? who
  }

  /// Times are stored in milliseconds since 1970.
  private static func value(_ text: String, of field: AuditChange.Field) -> String {
    switch field {
    case .from, .until: Int64(text).map { TableHeading.time($0) } ?? text
    case .title, .role, .groups, .device, .group, .media, .client, .caller, .camera, .archive, .command, .reason: text
    }
  }

  private static func text(_ change: AuditChange) -> String {
    let after = change.after.map { value($0, of: change.field) } ?? "-"
    return "\(change.field.rawValue) " + (change.before.map { "\($0) > \(after)" } ?? after)
  }
}

extension AuditKind: ExpressibleByArgument {}
