internal import HubCore
internal import HubStore
internal import Logging
internal import Signalling

/// Says in the audit log, and in the hub's own, what operators did to accounts and calls, and what they were refused.
struct AccountLog: Sendable {
  let store: any HubStore
  let audit: AuditLog
  let logger: Logger

  func note(
    _ kind: AuditKind, on user: UserRecord, by administrator: Administrator, changes: [AuditChange] = [],
    groups: Set<String> = []
  ) {
    note(kind, on: AuditSubject(user), of: groups.union(user.groups), by: administrator, changes: changes)
  }

  func noteChange(from before: UserRecord, to after: UserRecord, by administrator: Administrator) {
    if before.isDisabled != after.isDisabled {
      note(after.isDisabled ? .accountLocked : .accountUnlocked, on: after, by: administrator)
    }
    let changes = [
      (AuditChange.Field.title, before.title, after.title),
      (.role, before.accountRole.rawValue, after.accountRole.rawValue),
      (.groups, before.groups.sorted().joined(separator: ","), after.groups.sorted().joined(separator: ",")),
    ].filter { $0.1 != $0.2 }.map { AuditChange($0.0, from: $0.1, to: $0.2) }
    guard !changes.isEmpty else { return }
    note(.accountChanged, on: after, by: administrator, changes: changes, groups: before.groups)
  }

  func noteEnd(of call: OngoingCall, by administrator: Administrator) {
    note(
      .callEnded, on: AuditSubject(call.receiver), of: call.receiver.groups.union(call.caller.groups),
      by: administrator, changes: [AuditChange(.caller, to: call.caller.userTitle)])
  }

  /// Something that was not done. Which account it was about is for operators of that account's groups: who asked may be
  /// none of them, and is not to learn that it exists.
  func noteFailure(
    of kind: AuditKind, on target: String?, by requester: Requester, _ outcome: AuditOutcome, reason: String
  ) async {
    let user: UserRecord? = if let target { try? await store.user(id: target) } else { nil }
    audit.record(
      AuditEvent(
        kind, by: requester.auditActor, on: user.map { AuditSubject($0) }, outcome: outcome,
        changes: [AuditChange(.reason, to: reason)], groups: user?.groups ?? requester.principal.groups))
  }

  private func note(
    _ kind: AuditKind, on subject: AuditSubject, of groups: Set<String>, by administrator: Administrator,
    changes: [AuditChange] = []
  ) {
    let requester = administrator.requester
    logger.notice(
      "an operator's change: \(kind.rawValue) \(subject.id)", metadata: ["user": "\(requester.principal.userID)"])
    audit.record(
      AuditEvent(
        kind, by: requester.auditActor, on: subject, changes: changes,
        groups: groups.union(requester.principal.groups)))
  }
}

extension AuditSubject {
  /// A party of a call.
  fileprivate init(_ party: Principal) {
    self.init(party.kind == .device ? .device : .person, id: party.userID, title: party.userTitle)
  }
}
