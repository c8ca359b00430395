internal import RedisClient

/// The changes of the audit log that Redis makes in one step; see ``AccountFunctions`` for the number in the names.
enum AuditFunctions {
  static let library = RedisFunctionLibrary(
    name: "livesessions_audit_1",
    code: "#!lua name=livesessions_audit_1\n" + String(decoding: PackageResources.audit_lua, as: UTF8.self))

  static let append = "ls_audit_1_append"
}

/// Names of keys, in the slot of the accounts.
enum AuditKeys {
  /// Two streams: entries that anybody can cause, and all others.
  static func entries(isRoutine: Bool) -> String { isRoutine ? "ls:{accounts}:audit-routine" : "ls:{accounts}:audit" }
  /// A hash: the time and number of the last entry.
  static let clock = "ls:{accounts}:audit-clock"
}
