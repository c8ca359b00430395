internal import HubCore
public import Signalling

extension AuditEvent {
  /// An invitation was made.
  public static func made(_ record: InvitationRecord, by actor: AuditActor) -> AuditEvent {
    let target =
      switch record.target {
      case .device: AuditChange(.device, to: record.targetTitle)
      case .group(let name): AuditChange(.group, to: name)
      }
    return AuditEvent(
      .invitationMade, by: actor, on: record.auditSubject,
      changes: [
        target, AuditChange(.media, to: record.isForViews ? "link" : record.media.rawValue),
        AuditChange(.from, to: "\(record.from)"),
        AuditChange(.until, to: "\(record.until)"),
      ], groups: Set(record.groups))
  }
}
