import ControlMessages
import MediaCore
import Signalling

/// Why recordings were made, as lists show it.
struct ArchiveCause {
  /// Titles of users who are online, by their ids.
  private let titles: [String: String]
  /// Events by the archives that were recorded meanwhile.
  private let events: [String: [DetectedEvent]]

  /// An archive that begins so long before or after an event is taken for one that began for it. In milliseconds.
  private static let tolerance: Int64 = 60_000

  init(users: [OnlineUser] = [], events: [DetectedEvent] = []) {
    titles = Dictionary(users.map { ($0.userID, $0.userTitle) }) { first, _ in first }
    var byArchive: [String: [DetectedEvent]] = [:]
    for event in events { for archive in event.archives ?? [] { byArchive[archive, default: []].append(event) } }
    self.events = byArchive
  }

  /// `call with Ann`, `call to Ann`, `motion, plan yard`, `plan nights` or `manual`.
  func text(of archive: ArchiveSummary) -> String {
    if !archive.sessionID.isEmpty {
      if let receiver = archive.receiverID { return "call to \(titles[receiver] ?? receiver)" }
      return archive.callerID.map { "call with \(titles[$0] ?? $0)" } ?? "call"
    }
    let plans = archive.plans ?? []
    guard !plans.isEmpty else { return "manual" }
    let plan = "plan \(plans.joined(separator: ", "))"
    return beginning(of: archive).map { "\($0.kind), \(plan)" } ?? plan
  }

  /// The event with which it began; nil for recordings that ran before it, or have none.
  private func beginning(of archive: ArchiveSummary) -> DetectedEvent? {
    let first = events[archive.archiveID]?.min { $0.start < $1.start }
    return first.flatMap { abs($0.start.saturatingSubtracting(archive.createdAt)) <= Self.tolerance ? $0 : nil }
  }
}
