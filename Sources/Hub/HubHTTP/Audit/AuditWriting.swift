internal import HubStore
internal import Logging
internal import ServiceLifecycle

/// Writes the audit log while the hub runs.
struct AuditWriting: Service {
  let audit: AuditLog

  func run() async throws {
    await cancelWhenGracefulShutdown { await audit.run() }
  }

  /// An audit log that says in the hub's own log when it cannot be written.
  static func makeLog(store: any HubStore, limits: AuditLimits, logger: Logger) -> AuditLog {
    AuditLog(store: store, limits: limits, time: { TokenAuthority.nowInMilliseconds }) { failure in
      guard let failure else { return logger.notice("the audit log is written again") }
      logger.error(
        "the audit log cannot be written: \(failure); entries wait, and when too many do, later ones count as lost")
    }
  }
}
