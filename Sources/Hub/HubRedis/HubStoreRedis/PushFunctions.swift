internal import RedisClient

/// The changes of push subscriptions that Redis makes in one step; see ``AccountFunctions`` for the number in the names.
enum PushFunctions {
  static let library = RedisFunctionLibrary(
    name: "livesessions_push_1",
    code: "#!lua name=livesessions_push_1\n" + String(decoding: PackageResources.push_lua, as: UTF8.self))

  static let put = "ls_push_1_put"
  static let remove = "ls_push_1_remove"
  static let insertFirstKey = "ls_push_1_insert_first_key"
}

/// Names of keys, in the slot of the accounts and logins.
enum PushKeys {
  /// A hash: ids to records.
  static let subscriptions = "ls:{accounts}:push-subscriptions"
  /// A hash: hashes of endpoints to ids.
  static let endpoints = "ls:{accounts}:push-endpoints"
  /// A sorted set of user's id, 0, time, 0, id: each user's subscriptions, the oldest first.
  static let order = "ls:{accounts}:push-order"
  /// A string: the private key in base 64.
  static let key = "ls:{accounts}:push-key"
}
