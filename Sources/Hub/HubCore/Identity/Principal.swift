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

  public init(userID: String, userTitle: String, role: UserRole, kind: UserKind, groups: Set<String>) {
    self.userID = userID
    self.userTitle = userTitle
    self.role = role
    self.kind = kind
    self.groups = groups
  }

  /// One sees and calls only those with whom one shares a group.
  public func sharesGroup(with other: Principal) -> Bool {
    !groups.isDisjoint(with: other.groups)
  }
}
