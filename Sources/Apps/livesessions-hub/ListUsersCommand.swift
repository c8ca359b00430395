import ArgumentParser
import CommandSuggestions
import Foundation
import HubCore
import HubHTTP
import HubStore
import SafeText
import Signalling

struct ListUsersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list-users", abstract: "List users and devices.",
    discussion: """
      A user is online if the running hub says so at its status socket; with several nodes, those of the node that is \
      asked. Off a terminal it prints a line with tabs for each user, without a heading.
      """)

  @OptionGroup var options: HubOptions
  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    try await reportingFailures {
      let configuration = try options.loadConfiguration()
      try await options.withStore(of: configuration) { store in
        let online = Self.onlineUsers(of: configuration)
        var users: [ListedUser] = []
        for user in try await changingAccounts({ try await store.users() }) {
          let logins = try await changingAccounts { try await store.logins(ofUser: user.id) }
          users.append(ListedUser(user, logins: logins, isOnline: online.contains(user.id)))
        }
        if json { return try printJSON(users) }
        ListedUser.heading.printTable(users.map(\.row), shortened: [2, 3])
      }
    }
  }

  /// Nothing where no hub runs that can be asked.
  static func onlineUsers(of configuration: HubConfiguration) -> Set<String> {
    let client = StatusClient(path: configuration.statusSocket ?? HubConfiguration.serviceStatusSocket, limit: 3)
    let status = (try? client.read()).flatMap { try? JSONDecoder().decode(HubStatus.self, from: $0) }
    return Set(status?.shared.nodes.flatMap { $0.presentUserIDs ?? [] } ?? [])
  }
}

/// What `list-users --json` shows of an account: nothing secret.
private struct ListedUser: Encodable {
  var id: String
  var role: String
  var groups: [String]
  var title: String
  /// `online`, or `disabled`; absent where the hub does not say so.
  var state: String?
  /// When a login that has not ended was made or renewed last, in milliseconds since 1970; absent without one.
  var lastLogin: Int64?

  static let heading = TableHeading(["ID", "ROLE", "GROUPS", "TITLE", "STATE", "LAST LOGIN"])

  init(_ user: UserRecord, logins: [LoginRecord], isOnline: Bool) {
    id = user.id
    role = user.accountRole.rawValue
    groups = user.groups.sorted()
    title = user.title
    state = user.isDisabled ? "disabled" : isOnline ? "online" : nil
    lastLogin = logins.map(\.renewedAt).max()
  }

  var row: [String] {
    [id, role, groups.joined(separator: ","), title, state ?? "-", lastLogin.map { TableHeading.time($0) } ?? "-"]
  }
}
