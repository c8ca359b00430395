import ArgumentParser
import CommandSuggestions
import HubStore
import Signalling

struct CallsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calls", abstract: "List calls that are over, the newest first.",
    discussion: """
      The hub keeps them for retention of [calls] in hub.toml. Off a terminal it prints a line with tabs for each call, \
      without a heading.
      """)

  @OptionGroup var options: HubOptions
  @Option(parsing: .unconditional, help: "Only calls of this person or device: its title or id.") var user: String?
  @Option(
    help: "Nothing that ended before this time, \(TimeExpression.examples).", transform: TimeExpression.parse)
  var since: TimeExpression?
  @Flag(help: "Only calls that their receiver has missed.") var missed = false
  @Option(help: "How many at most.") var limit = 100
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    guard (1...CallRecord.maximum).contains(limit) else {
      throw ValidationError("--limit must be 1 to \(CallRecord.maximum)")
    }
  }

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let calls = try await changingAccounts { try await read(store) }
        if json { return try printJSON(calls) }
        Self.heading.printTable(calls.map(Self.row), shortened: [6, 1, 2])
      }
    }
  }

  private func read(_ store: any HubStore) async throws -> [CallEntry] {
    let portion = 256
    let userID = try await userID(in: store)
    var (calls, place): ([CallEntry], CallPlace?) = ([], nil)
    while true {
      let records = try await store.calls(ofUser: userID, before: place, limit: portion)
      for record in records where record.place != place {
        place = record.place
        guard record.call.endedAt >= since?.milliseconds ?? .min else { return calls }
        // Of a user those that the user has missed, else those that anyone has.
        if missed, userID == nil ? !record.call.outcome.isMissed : !record.isMissed { continue }
        calls.append(record.call)
        if calls.count == limit { return calls }
      }
      if records.count < portion { return calls }
    }
  }

  /// Accounts that are gone have calls of others, which are found by their ids.
  private func userID(in store: any HubStore) async throws -> String? {
    guard let user else { return nil }
    return try await store.user(title: user)?.id ?? user
  }

  private static let heading = TableHeading(["BEGAN", "FROM", "TO", "MEDIA", "OUTCOME", "LASTED", "RECORDING"])

  private static func row(_ call: CallEntry) -> [String] {
    [
      TableHeading.time(call.startedAt), call.caller.userTitle, call.receiver.userTitle, call.media.rawValue,
      outcome(call), call.answeredAt.map { length($0, call.endedAt) } ?? "-", call.archiveID?.text ?? "-",
    ]
  }

  /// With the code that says why a call was not answered, where that is more.
  private static func outcome(_ call: CallEntry) -> String {
    let isKnown = call.answeredAt != nil || [call.outcome.rawValue, EndReason.hangup.rawValue].contains(call.reason)
    return call.outcome.rawValue + (isKnown ? "" : " (\(call.reason))")
  }

  /// As `2:13` or `1:02:13`.
  private static func length(_ start: Int64, _ end: Int64) -> String {
    let seconds = max(0, end - start) / 1_000
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
    let tail = "\(seconds % 60 + 100)".dropFirst()
    return hours > 0 ? "\(hours):\("\(minutes + 100)".dropFirst()):\(tail)" : "\(minutes):\(tail)"
  }
}
