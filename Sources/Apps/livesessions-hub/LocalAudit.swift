import Foundation
import HubHTTP
import HubStore
import Signalling

/// The audit log of what is done by commands on the server.
enum LocalAudit {
  /// Who runs the command: with sudo, who called that.
  static var userName: String { ProcessInfo.processInfo.environment["SUDO_USER"] ?? NSUserName() }

  static var actor: AuditActor { AuditActor(.localAdministrator, title: userName) }

  /// Writes an entry; what was done stays done where that fails.
  static func record(
    _ kind: AuditKind, on subject: AuditSubject? = nil, changes: [AuditChange] = [], groups: Set<String> = [],
    in store: any HubStore, of options: HubOptions
  ) async {
    await record(AuditEvent(kind, by: actor, on: subject, changes: changes, groups: groups), in: store, of: options)
  }

  static func record(_ event: AuditEvent, in store: any HubStore, of options: HubOptions) async {
    let limits = (try? options.loadConfiguration().audit) ?? AuditLimits()
    let log = AuditLog(store: store, limits: limits, time: currentTime)
    log.record(event)
    do {
      try await log.flush()
    } catch {
      printError("livesessions-hub: the audit log could not be written: \(error)")
    }
  }
}
