public import Signalling

/// What of an account decides who may change it.
public struct AccountStanding: Sendable, Equatable {
  public var id: String
  public var role: AccountRole
  public var groups: Set<String>
  public var isDisabled: Bool

  public init(id: String, role: AccountRole, groups: Set<String>, isDisabled: Bool = false) {
    self.id = id
    self.role = role
    self.groups = groups
    self.isDisabled = isDisabled
  }

  /// Whether it administrates others.
  public var isInCharge: Bool {
    switch role {
    case .administrator, .operator: !isDisabled
    case .user, .device: false
    }
  }

  /// Whether the account is in charge and, as `changed`, no longer administrates what it does now.
  public func givesUpCharge(becoming changed: AccountStanding?) -> Bool {
    guard isInCharge else { return false }
    return !(changed.map { $0.isInCharge && (role == .operator || $0.role == .administrator) } ?? false)
  }

  /// Whether a change would leave no one in its place: for an administrator another administrator, for an operator
  /// anyone in charge.
  ///
  /// - Parameters:
  ///   - changed: the account as it is to be; nil where it is removed.
  ///   - others: the hub's accounts.
  public func isLastInCharge(becoming changed: AccountStanding?, among others: some Sequence<AccountStanding>) -> Bool {
    givesUpCharge(becoming: changed)
      && !others.contains { $0.id != id && $0.isInCharge && (role == .operator || $0.role == .administrator) }
  }
}

/// What is to become of an account.
public enum AccountAction: Sendable, Equatable {
  /// It is read: its state, its logins.
  case read
  case create
  /// It gets another title, role, groups, or is disabled or enabled; as it is to be.
  case change(to: AccountStanding)
  /// It gets another password or key, or its logins end.
  case renewCredential
  case remove
}

/// Why an account is not changed.
public enum AccountDenial: Error, Sendable, Equatable {
  /// Who asks administrates nothing.
  case notInCharge
  /// The account is of other groups, or of a higher role: who asks is not to learn that it exists.
  case outOfReach
  /// Who asks may not give this role.
  case roleNotGranted(AccountRole)
  /// Who asks is not in these groups.
  case groupsNotGranted(Set<String>)
  /// Every account has a group.
  case noGroup
  /// A device stays a device, a person a person.
  case otherKind
  /// No one would be left who could undo it.
  case lastInCharge
}

extension AccountDenial: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notInCharge: "accounts are administrated by operators"
    case .outOfReach: "no such account in your groups"
    case .roleNotGranted(let role): "you may not give the role \(role.rawValue)"
    case .groupsNotGranted(let groups): "you are not in \(groups.sorted().joined(separator: ", "))"
    case .noGroup: "an account needs a group"
    case .otherKind: "a device cannot become a person, nor a person a device"
    case .lastInCharge: "no one would be left in charge; make another administrator first"
    }
  }
}
