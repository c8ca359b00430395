import ArgumentParser
import HubCore
import HubStore
import Signalling

struct SetGroupsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-groups", abstract: "Put a user or device into these groups, and out of all others.")

  @OptionGroup var options: HubOptions

  @Option(parsing: .unconditional, help: "The title or id of the user or device.")
  var title: String

  @Option(name: .customLong("group"), help: "A group to belong to; may be repeated.")
  var groups: [String]

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let user = try await changeAccount(title, in: store, of: options) { $0.groups = Set(groups) }
        printError("\"\(user.title)\" is in \(user.groups.sorted().joined(separator: ", ")) now")
      }
    }
  }
}

struct SetRoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-role", abstract: "Give a person another role.",
    discussion: """
      Operators administrate the accounts of their groups; an administrator is an operator who administrates all.
      """)

  @OptionGroup var options: HubOptions

  @Option(parsing: .unconditional, help: "The title or id of the person.")
  var title: String

  @Option(help: "What the person may do.")
  var role: PersonRole

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let user = try await changeAccount(title, in: store, of: options) { user in
          guard user.kind == .person else { throw Failure("\"\(user.title)\" is a device") }
          user.accountRole = role.role
        }
        printError("\"\(user.title)\" is \(user.accountRole.rawValue) now")
      }
    }
  }
}

private func changeAccount(
  _ name: String, in store: any HubStore, of options: HubOptions, _ edit: (inout UserRecord) throws -> Void
) async throws -> UserRecord {
  let known = try await knownAccount(name, in: store)
  let changed = try await changingAccounts { try await Accounts(store: store).change(known.id, edit) }
  guard let changed else { throw Failure("\"\(known.title)\" has been removed meanwhile") }
  await LocalAudit.record(
    .accountChanged, on: AuditSubject(changed),
    changes: [
      AuditChange(.role, from: known.accountRole.rawValue, to: changed.accountRole.rawValue),
      AuditChange(
        .groups, from: known.groups.sorted().joined(separator: ","), to: changed.groups.sorted().joined(separator: ",")),
    ].filter { $0.before != $0.after }, groups: known.groups.union(changed.groups), in: store, of: options)
  return changed
}
