internal import RedisClient

/// The changes of logins that Redis makes in one step; see ``AccountFunctions`` for the number in the names.
enum LoginFunctions {
  static let library = RedisFunctionLibrary(
    name: "livesessions_logins_2",
    code: "#!lua name=livesessions_logins_2\n" + String(decoding: PackageResources.logins_lua, as: UTF8.self))

  static let put = "ls_logins_2_put"
  static let end = "ls_logins_2_end"
}

/// Names of keys, in the slot of the accounts.
enum LoginKeys {
  /// A string: the record, as long as it has not expired.
  static func login(_ id: String) -> String { "ls:{accounts}:login:\(id)" }
  /// A sorted set: ids of a user's logins by their expiry.
  static func logins(ofUser userID: String) -> String { "ls:{accounts}:logins:\(userID)" }
  /// A sorted set: ids of logins that have ended, by when.
  static let ended = "ls:{accounts}:ended-logins"
}
