public import Signalling

/// What has happened, for ``AuditLog/record(_:)``.
public struct AuditEvent: Sendable, Hashable {
  public var kind: AuditKind
  public var actor: AuditActor
  public var subject: AuditSubject?
  public var outcome: AuditOutcome
  public var changes: [AuditChange]
  /// Of those whom it concerns, actor and subject: operators of one of them read the entry.
  public var groups: Set<String>

  public init(
    _ kind: AuditKind, by actor: AuditActor, on subject: AuditSubject? = nil, outcome: AuditOutcome = .done,
    changes: [AuditChange] = [], groups: Set<String> = []
  ) {
    (self.kind, self.actor, self.subject, self.outcome) = (kind, actor, subject, outcome)
    (self.changes, self.groups) = (Array(changes.prefix(Self.maximumChanges)), groups)
  }

  private static let maximumChanges = 16

  func record(at time: Int64, count: Int = 1, lastAt: Int64? = nil) -> AuditRecord {
    AuditRecord(
      entry: AuditEntry(
        at: time, kind: kind.rawValue, actor: actor, subject: subject, outcome: outcome, changes: changes,
        count: count, lastAt: lastAt),
      groups: groups, isRoutine: isRoutine)
  }
}

extension AuditSubject {
  /// An account as it is now.
  public init(_ account: UserRecord) {
    self.init(account.kind == .device ? .device : .person, id: account.id, title: account.title)
  }
}
