internal import RedisClient

/// The changes of invitations that Redis makes in one step; see ``AccountFunctions`` for the number in the names.
enum InvitationFunctions {
  static let library = RedisFunctionLibrary(
    name: "livesessions_invitations_1",
    code: "#!lua name=livesessions_invitations_1\n" + String(decoding: PackageResources.invitations_lua, as: UTF8.self))

  static let insert = "ls_invitations_1_insert"
  static let update = "ls_invitations_1_update"
}

/// Names of keys, in the slot of the accounts.
enum InvitationKeys {
  /// A hash: ids to records.
  static let invitations = "ls:{accounts}:invitations"
  /// A hash: hashed codes to ids.
  static let codes = "ls:{accounts}:invitation-codes"
  /// A sorted set: ids by when they end.
  static let ends = "ls:{accounts}:invitation-ends"
}
