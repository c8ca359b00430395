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
  /// Only receives, by WHEP; see ``ViewerScope``.
  case viewer

  /// Whether a store knows the user by itself.
  public var hasAccount: Bool {
    switch self {
    case .operator, .user, .device: true
    case .anonymous, .guest, .viewer: false
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
  /// What a guest, or a viewer by a link, may do; neither has groups.
  public var guest: GuestScope?
  /// By what a viewer views.
  public var viewer: ViewerScope?

  private enum CodingKeys: String, CodingKey {
    case userID, userTitle, role, kind, groups, guest, viewer
  }

  public init(
    userID: String, userTitle: String, role: UserRole, kind: UserKind, groups: Set<String>, guest: GuestScope? = nil,
    viewer: ViewerScope? = nil
  ) {
    (self.guest, self.viewer) = (guest, viewer)
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
    try container.encodeIfPresent(viewer, forKey: .viewer)
  }

  /// Whether `other` may see and call this user: only those with whom one shares a group, guests the devices of their
  /// invitation, and viewers devices alone. No one sees or calls a guest or a viewer.
  public func sharesGroup(with other: Principal) -> Bool {
    if role == .guest || role == .viewer { return false }
    if other.role == .guest || other.guest != nil { return other.guest?.admits(self) ?? false }
    if other.role == .viewer, role != .device { return false }
    return !groups.isDisjoint(with: other.groups)
  }
}
