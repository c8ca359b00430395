internal import RedisClient

/// The changes of the call history that Redis makes in one step; see ``AccountFunctions`` for the number in the names.
enum CallFunctions {
  static let library = RedisFunctionLibrary(
    name: "livesessions_calls_1",
    code: "#!lua name=livesessions_calls_1\n" + String(decoding: PackageResources.calls_lua, as: UTF8.self))

  static let insert = "ls_calls_1_insert"
  static let remove = "ls_calls_1_remove"
  static let trim = "ls_calls_1_trim"
  static let see = "ls_calls_1_see"
}

/// Names of keys, in the slot of the accounts. Times have 19 digits, so that texts are in the order of times.
enum CallKeys {
  /// A hash: owner, 0, session to records.
  static let calls = "ls:{accounts}:calls"
  /// A sorted set of owner, 0, time, 0, session.
  static let order = "ls:{accounts}:call-order"
  /// The same of missed calls alone.
  static let missed = "ls:{accounts}:calls-missed"
  /// A sorted set of time, 0, session, 0, owner.
  static let times = "ls:{accounts}:call-times"
  /// A hash: users to the time until which they have seen calls.
  static let seen = "ls:{accounts}:calls-seen"

  static let history = [calls, order, missed, times]
}
