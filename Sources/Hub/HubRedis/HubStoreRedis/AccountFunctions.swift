internal import RedisClient

/// The changes of accounts and keys that Redis makes in one step.
///
/// A version that changes the text changes the number in the names: nodes of two versions have each their own functions
/// while they are exchanged one by one.
enum AccountFunctions {
  static let library = RedisFunctionLibrary(
    name: "livesessions_accounts_2",
    code: "#!lua name=livesessions_accounts_2\n" + String(decoding: PackageResources.accounts_lua, as: UTF8.self))

  static let change = "ls_accounts_2_change"
  static let insertFirstKey = "ls_accounts_2_insert_first_key"
  static let noteSeen = "ls_accounts_2_note_seen"
}

/// Names of keys. All carry one hash tag, since an account and its title change together: in a cluster they lie in one slot.
enum AccountKeys {
  /// A hash: ids to records.
  static let accounts = "ls:{accounts}"
  /// A hash: titles' keys to ids.
  static let titles = "ls:{accounts}:titles"
  /// A hash: hashed enrolment keys to ids.
  static let enrolments = "ls:{accounts}:enrolments"
  /// A sorted set of title's key, 0, id.
  static let order = "ls:{accounts}:order"
  static let revision = "ls:{accounts}:revision"
  /// A hash: ids to when the users were online last.
  static let seen = "ls:{accounts}:seen"
  /// A hash: ids of devices to what they reported last.
  static let reports = "ls:{accounts}:reports"
  /// A hash: ids of signing keys to records.
  static let signingKeys = "ls:{accounts}:signing-keys"
}
