internal import Signalling

/// What an account may do to others, and to itself.
///
/// An administrator may do all. An operator administrates the accounts all of whose groups are the operator's, but for
/// administrators, and gives none a group or a role that the operator lacks. That someone stays in charge depends on all
/// accounts at once, so the store sees to it (``AccountStanding/isLastInCharge(becoming:among:)``).
public struct AccountRights: Sendable {
  private let actor: AccountStanding

  public init(of actor: AccountStanding) { self.actor = actor }

  /// Throws why the action is not allowed.
  ///
  /// - Parameter target: as it is; for ``AccountAction/create`` as it is to be.
  public func check(_ action: AccountAction, on target: AccountStanding) throws(AccountDenial) {
    guard actor.isInCharge else { throw .notInCharge }
    switch action {
    case .read, .renewCredential, .remove: try checkReach(of: target)
    case .create: try checkGrant(of: target, beyond: nil)
    case .change(let changed):
      try checkReach(of: target)
      try checkGrant(of: changed, beyond: target)
    }
  }

  /// Whether a call between two parties is one of the actor's groups: parties meet in the groups that they share, and a
  /// guest, or a viewer by a link, meets a device in the device's.
  public func mayEndCall(between caller: Principal, and receiver: Principal) -> Bool {
    guard actor.isInCharge else { return false }
    switch actor.role {
    case .administrator: return true
    case .operator:
      let isInvited = caller.role == .guest || caller.guest != nil
      let groups = isInvited ? receiver.groups : caller.groups.intersection(receiver.groups)
      return !groups.isDisjoint(with: actor.groups)
    case .user, .device: return false
    }
  }

  private func checkReach(of target: AccountStanding) throws(AccountDenial) {
    switch (actor.role, target.role) {
    case (.administrator, _): return
    case (.operator, .operator), (.operator, .user), (.operator, .device):
      guard !target.groups.isEmpty, target.groups.isSubset(of: actor.groups) else { throw .outOfReach }
    case (.operator, .administrator), (.user, _), (.device, _): throw .outOfReach
    }
  }

  /// - Parameter before: what is kept need not be granted.
  private func checkGrant(of target: AccountStanding, beyond before: AccountStanding?) throws(AccountDenial) {
    guard !target.groups.isEmpty else { throw .noGroup }
    if let before, (before.role == .device) != (target.role == .device) { throw .otherKind }
    guard actor.role != .administrator else { return }
    if target.role == .administrator { throw .roleNotGranted(target.role) }
    let foreign = target.groups.subtracting(actor.groups)
    guard foreign.isEmpty else { throw .groupsNotGranted(foreign) }
  }
}
