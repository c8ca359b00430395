public import Signalling

/// What an account may do at the hub.
public enum UserRole: String, Codable, Sendable, CaseIterable {
  /// Sees exact positions, fetches archives, moderates calls.
  case `operator`
  case user
  case device
  /// Logged in without a credential; exists only where the hub allows that.
  case anonymous
  /// Has an invitation in place of an account.
  case guest

  /// Whether a store knows the user by itself.
  public var hasAccount: Bool {
    switch self {
    case .operator, .user, .device: true
    case .anonymous, .guest: false
    }
  }
}

/// Who makes a request, as the hub authenticated it.
public struct Principal: Codable, Sendable, Hashable {
  public var userID: String
  public var userTitle: String
  public var role: UserRole
  public var kind: UserKind
  public var groups: Set<String>
  /// What a guest may do; a guest has no groups.
  public var guest: GuestScope?

  private enum CodingKeys: String, CodingKey {
    case userID, userTitle, role, kind, groups, guest
  }

  public init(
    userID: String, userTitle: String, role: UserRole, kind: UserKind, groups: Set<String>, guest: GuestScope? = nil
  ) {
    self.guest = guest
    self.userID = userID
    self.userTitle = userTitle
    self.role = role
    self.kind = kind
    self.groups = groups
  }

  /// Writes groups in sorted order: equal principals have equal records.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(userID, forKey: .userID)
    try container.encode(userTitle, forKey: .userTitle)
    try container.encode(role, forKey: .role)
    try container.encode(kind, forKey: .kind)
    try container.encode(groups.sorted(), forKey: .groups)
    try container.encodeIfPresent(guest, forKey: .guest)
  }

  /// Whether `other` may see and call this user: only those with whom one shares a group, and guests the devices of their
  /// invitation. No one sees or calls a guest.
  public func sharesGroup(with other: Principal) -> Bool {
    if role == .guest { return false }
    if other.role == .guest { return other.guest?.admits(self) ?? false }
    return !groups.isDisjoint(with: other.groups)
  }
}
