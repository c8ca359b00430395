/// The entries of the audit log.
public protocol AuditStore: Sendable {
  /// Adds entries to the audit log, in their order, and forgets what is beyond the bounds. The store chooses their ids.
  func appendAudit(_ records: [AuditRecord], keeping bounds: AuditBounds) async throws
  /// Entries of the audit log that are older than the one of id `before` (nil: all), the newest first; none where that is
  /// no id of the store's.
  func audit(before: String?, limit: Int) async throws -> [AuditRecord]
}
