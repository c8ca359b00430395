public import Signalling

/// What an account may do at the hub.
public enum UserRole: String, Codable, Sendable, CaseIterable {
  /// Sees exact positions, fetches archives, moderates calls.
  case `operator`
  case user
  case device
  /// Logged in without a credential; exists only where the hub allows that.
  case anonymous
}

/// Who makes a request, as the hub authenticated it.
public struct Principal: Codable, Sendable, Hashable {
  public var userID: String
  public var userTitle: String
  public var role: UserRole
  public var kind: UserKind
  public var groups: Set<String>

  private enum CodingKeys: String, CodingKey {
    case userID, userTitle, role, kind, groups
  }

  public init(userID: String, userTitle: String, role: UserRole, kind: UserKind, groups: Set<String>) {
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
  }

  /// One sees and calls only those with whom one shares a group.
  public func sharesGroup(with other: Principal) -> Bool {
    !groups.isDisjoint(with: other.groups)
  }
}
