public import Signalling

/// An entry of the audit log as stored, with who may read it.
public struct AuditRecord: Sendable, Equatable, Codable {
  public var entry: AuditEntry
  /// Of those whom it concerns, as they were then: operators of one of them read it. Without any it is for the commands
  /// on the server, and for administrators.
  public var groups: Set<String>
  /// Whether it comes of what anybody can repeat, such as logins; see ``AuditEvent/isRoutine``.
  public var isRoutine: Bool

  public init(entry: AuditEntry, groups: Set<String>, isRoutine: Bool) {
    (self.entry, self.groups, self.isRoutine) = (entry, groups, isRoutine)
  }

  /// In place of what a store has and cannot read, so that the log has no gap and is read further.
  ///
  /// - Parameter at: when it was written, in milliseconds since 1970.
  public static func unreadable(id: String, at: Int64, groups: Set<String>, isRoutine: Bool) -> Self {
    let entry = AuditEntry(
      id: id, at: at, kind: AuditKind.entryUnreadable.rawValue, actor: AuditActor(.unknown), subject: nil,
      outcome: .failed, changes: [])
    return AuditRecord(entry: entry, groups: groups, isRoutine: isRoutine)
  }
}

extension AuditEvent {
  /// What is refused can be asked for without end, too.
  var isRoutine: Bool { kind.isRoutine || outcome == .refused }
}

extension AuditKind {
  /// Entries that anybody can cause have a half of the log to themselves, so that they push out no others, and
  /// repetitions of them are summarised.
  fileprivate var isRoutine: Bool {
    switch self {
    case .login, .loginFailed, .loginEnded, .invitationUsed, .invitationRefused, .viewBegun, .viewRefused: true
    case .accountCreated, .accountChanged, .accountLocked, .accountUnlocked, .accountRemoved, .passwordChanged,
      .deviceEnrolled, .deviceRevoked, .keyReplaced, .invitationMade, .invitationRevoked, .archiveDeleted,
      .archiveLocked, .archiveUnlocked, .archiveRenamed, .callEnded, .command, .entriesLost, .entryUnreadable:
      false
    }
  }
}

/// How much of the audit log is kept.
public struct AuditLimits: Sendable, Equatable {
  public var retention: Duration = .seconds(365 * 86_400)
  /// Half of them for entries that anybody can cause.
  public var maximumEntries = 100_000

  public init() {}

  /// The bounds of a store that is written to at `now`, in milliseconds since 1970.
  public func bounds(at now: Int64) -> AuditBounds {
    let (age, isOverflow) = retention.components.seconds.multipliedReportingOverflow(by: 1_000)
    return AuditBounds(oldest: isOverflow ? 0 : max(0, now - age), maximumOfEach: max(1, maximumEntries / 2))
  }
}

/// What a store forgets when it is written to.
public struct AuditBounds: Sendable, Equatable {
  /// Entries before that time go, in milliseconds since 1970.
  public var oldest: Int64
  /// Of routine entries, and of all others: the oldest beyond go.
  public var maximumOfEach: Int

  public init(oldest: Int64, maximumOfEach: Int) {
    (self.oldest, self.maximumOfEach) = (oldest, maximumOfEach)
  }
}
