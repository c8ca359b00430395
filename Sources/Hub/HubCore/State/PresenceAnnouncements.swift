public import Signalling

/// What is announced of one user: its recipients are looked up when it goes out.
public struct PresenceAnnouncement: Sendable {
  public let principal: Principal
  let isOnline: Bool
  let status: PresenceStatus

  public init(principal: Principal, isOnline: Bool, status: PresenceStatus) {
    self.principal = principal
    self.isOnline = isOnline
    self.status = status
  }

  public var event: PresenceEvent {
    PresenceEvent(
      userID: principal.userID, userTitle: principal.userTitle, isOnline: isOnline, status: status,
      kind: principal.kind)
  }
}

/// Spaces the announcements of each user out: the first goes at once, of what follows within the interval the last.
public struct PresenceAnnouncements: Sendable {
  private struct Turn {
    var dueAt: Instant
    var pending: PresenceAnnouncement?
  }

  private let interval: Duration
  /// Users who were announced less than an interval ago, or have something pending.
  private var turns: [String: Turn] = [:]

  public init(interval: Duration) {
    self.interval = interval
  }

  var userCount: Int { turns.count }

  /// Returns `announcement` when it may go out now; else ``due(now:)`` returns it, unless a later one replaces it.
  public mutating func admit(_ announcement: PresenceAnnouncement, now: Instant) -> PresenceAnnouncement? {
    let userID = announcement.principal.userID
    if let turn = turns[userID], turn.dueAt > now {
      turns[userID]?.pending = announcement
      return nil
    }
    turns[userID] = Turn(dueAt: now + interval)
    return announcement
  }

  /// What has waited long enough, in the order of user ids; forgets whom nothing is pending for.
  public mutating func due(now: Instant) -> [PresenceAnnouncement] {
    let passed = turns.filter { $0.value.dueAt <= now }
    for (userID, turn) in passed {
      turns[userID] = turn.pending == nil ? nil : Turn(dueAt: now + interval)
    }
    return passed.compactMap(\.value.pending).sorted { $0.principal.userID < $1.principal.userID }
  }
}
