import ArgumentParser
import CommandSuggestions
import Foundation
import HubCore
import HubHTTP
import HubStore
import SafeText
import Signalling

struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List devices: which are online, when others were last, and how they are.",
    discussion: """
      A device is online if the running hub says so at its status socket; with several nodes, those of the node that \
      is asked. When it was seen last is noted every five minutes. Devices report what does not work as soon as it \
      does not, and all else every quarter of an hour; the last report of one that is offline is kept. Several options \
      list what all of them say.
      """)

  @OptionGroup var options: HubOptions
  @Flag(help: "Only those that are not online.") var offline = false
  @Flag(help: "Only those with a problem: disabled, never seen, not for a day, or reported.") var problems = false
  @Option(help: "Only those with an older version than this, as 1.2, or of unknown version.") var olderThan: String?
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if let olderThan, ReleaseNumber(olderThan) == nil {
      throw ValidationError("--older-than: \(olderThan) is no version such as 1.2.3")
    }
  }

  func run() async throws {
    try await reportingFailures {
      let configuration = try options.loadConfiguration()
      try await options.withStore(of: configuration) { store in
        let online = ListUsersCommand.onlineUsers(of: configuration)
        let records = try await changingAccounts { try await store.users() }.filter { $0.kind == .device }
        let seen = try await changingAccounts { try await store.seen(records.map(\.id)) }
        let reported = try await changingAccounts { try await store.reports(records.map(\.id)) }
        let devices = records.map {
          ListedDevice($0, isOnline: online.contains($0.id), seen: seen[$0.id], reported: reported[$0.id])
        }
        let listed = devices.filter(isListed)
        if json { return try printJSON(listed) }
        ListedDevice.heading.printTable(listed.map(\.row), shortened: [0, 2, 1])
      }
    }
  }

  private func isListed(_ device: ListedDevice) -> Bool {
    if offline, device.isOnline { return false }
    if problems, device.problem == nil { return false }
    guard let limit = olderThan.flatMap({ ReleaseNumber($0) }) else { return true }
    return device.version.flatMap { ReleaseNumber($0) }.map { $0 < limit } ?? true
  }
}

/// A version as numbers between dots; what follows them does not count.
private struct ReleaseNumber: Comparable {
  /// Always as many.
  private let numbers: [Int]
  private static let count = 4

  init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let read = digits.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard !digits.isEmpty, read.count <= Self.count, !read.contains(nil) else { return nil }
    numbers = read.compactMap(\.self) + Array(repeating: 0, count: Self.count - read.count)
  }

  static func < (left: Self, right: Self) -> Bool { left.numbers.lexicographicallyPrecedes(right.numbers) }
}

/// What `devices --json` shows of one: nothing secret.
private struct ListedDevice: Encodable {
  var id: String
  var title: String
  var groups: [String]
  var isOnline: Bool
  /// Milliseconds since 1970.
  var lastSeen: Int64?
  var version: String?
  var problem: String?
  /// What it reported last, and when, in milliseconds since 1970.
  var report: DeviceReport?
  var reportedAt: Int64?

  static let heading = TableHeading([
    "ID", "TITLE", "GROUPS", "STATE", "LAST SEEN", "VERSION", "DISK FREE", "°C", "PROBLEM",
  ])
  private static let day: Int64 = 86_400_000

  init(_ user: UserRecord, isOnline: Bool, seen: SeenRecord?, reported: ReportRecord?) {
    (id, title, groups) = (user.id, user.title, user.groups.sorted())
    self.isOnline = isOnline
    // Reports are written sooner.
    lastSeen = [seen?.at, reported?.at].compactMap(\.self).max()
    (report, reportedAt) = (reported?.report, reported?.at)
    version = report?.version ?? seen.flatMap { Self.version(in: $0.client) }
    problem = Self.problem(user, isOnline: isOnline, lastSeen: lastSeen) ?? report.flatMap { Self.problem($0) }
  }

  /// Of `livesessionsd/1.2`; nil for programs that do not say it.
  private static func version(in client: String) -> String? {
    let prefix = "livesessionsd/"
    return client.hasPrefix(prefix) ? String(client.dropFirst(prefix.count).prefix { $0 != " " }) : nil
  }

  /// What it says itself.
  private static func problem(_ report: DeviceReport) -> String? {
    guard let first = report.problems.first else { return nil }
    let others = report.problems.dropFirst().map { "; \($0)" }.joined()
    return first + (report.problem.map { ": \($0)" } ?? "") + others
  }

  private static func problem(_ user: UserRecord, isOnline: Bool, lastSeen: Int64?) -> String? {
    if user.isDisabled { return "disabled" }
    if isOnline { return nil }
    guard let lastSeen else { return "never seen" }
    let age = currentTime() - lastSeen
    return age > day ? "not seen for \(age / day) days" : nil
  }

  var row: [String] {
    [
      id, title, groups.joined(separator: ","), isOnline ? "online" : "offline",
      lastSeen.map { TableHeading.time($0) } ?? "-", version ?? "-",
      report?.diskFree.map { "\($0 / 1_048_576) MiB" } ?? "-",
      report?.temperature.map { "\($0)" } ?? "-", problem ?? "-",
    ]
  }
}
