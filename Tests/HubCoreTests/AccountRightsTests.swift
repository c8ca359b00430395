import HubCore
import Signalling
import Testing

/// Who may do what to whom: every pair of roles, with groups within, across and beyond one's own.
@Suite struct AccountRightsTests {
  private static let reaches: [Set<String>] = [["a"], ["a", "b"], ["a", "c"], ["c"], []]

  private func account(
    _ role: AccountRole, _ groups: Set<String>, id: String = "target", isDisabled: Bool = false
  ) -> AccountStanding {
    AccountStanding(id: id, role: role, groups: groups, isDisabled: isDisabled)
  }

  private func actor(_ role: AccountRole, isDisabled: Bool = false) -> AccountStanding {
    account(role, ["a", "b"], id: "actor", isDisabled: isDisabled)
  }

  private func denial(
    _ action: AccountAction, on target: AccountStanding, by actor: AccountStanding
  ) -> AccountDenial? {
    do { try AccountRights(of: actor).check(action, on: target) } catch { return error }
    return nil
  }

  @Test(arguments: AccountRole.allCases)
  func whoIsNotInChargeMayNothing(role: AccountRole) {
    for target in AccountRole.allCases {
      let target = account(target, ["a"])
      for action in [AccountAction.read, .create, .change(to: target), .renewCredential, .remove] {
        #expect(denial(action, on: target, by: actor(role, isDisabled: true)) == .notInCharge)
        switch role {
        case .administrator, .operator: break
        case .user, .device: #expect(denial(action, on: target, by: actor(role)) == .notInCharge)
        }
      }
    }
  }

  @Test(arguments: AccountRole.allCases)
  func anOperatorReachesAccountsWithinItsGroups(role: AccountRole) {
    for groups in Self.reaches {
      let target = account(role, groups)
      let isWithin = !groups.isEmpty && groups.isSubset(of: ["a", "b"]) && role != .administrator
      for action in [AccountAction.read, .renewCredential, .remove] {
        #expect(denial(action, on: target, by: actor(.operator)) == (isWithin ? nil : .outOfReach), "\(target)")
        #expect(denial(action, on: target, by: actor(.administrator)) == nil)
      }
      guard !isWithin else { continue }
      #expect(denial(.change(to: account(role, ["a"])), on: target, by: actor(.operator)) == .outOfReach)
    }
  }

  @Test(arguments: AccountRole.allCases)
  func anOperatorGivesNoMoreThanItHas(role: AccountRole) {
    for groups in Self.reaches {
      let wanted = account(role, groups)
      let expected: AccountDenial? =
        groups.isEmpty
        ? .noGroup
        : role == .administrator
          ? .roleNotGranted(.administrator)
          : groups.isSubset(of: ["a", "b"]) ? nil : .groupsNotGranted(["c"])
      #expect(denial(.create, on: wanted, by: actor(.operator)) == expected)
      #expect(denial(.create, on: wanted, by: actor(.administrator)) == (groups.isEmpty ? .noGroup : nil))
      let before = account(role == .device ? .device : .user, ["a"])
      #expect(denial(.change(to: wanted), on: before, by: actor(.operator)) == expected)
      #expect(denial(.change(to: wanted), on: before, by: actor(.administrator)) == (groups.isEmpty ? .noGroup : nil))
    }
  }

  @Test func aDeviceStaysADevice() {
    for role in AccountRole.allCases where role != .device {
      for chief in [AccountRole.administrator, .operator] {
        let (device, person) = (account(.device, ["a"]), account(role, ["a"]))
        #expect(denial(.change(to: person), on: device, by: actor(chief)) == .otherKind)
        guard role != .administrator || chief == .administrator else { continue }
        #expect(denial(.change(to: device), on: person, by: actor(chief)) == .otherKind)
      }
    }
  }

  @Test func theLastAdministratorIsKnown() {
    let chief = actor(.administrator)
    var (disabled, demoted, moved) = (chief, chief, chief)
    disabled.isDisabled = true
    demoted.role = .operator
    moved.groups = ["c"]
    let noHelp: [[AccountStanding]] = [
      [], [chief], [account(.operator, ["a"], id: "o"), account(.user, ["a"], id: "u")],
      [account(.administrator, ["a"], id: "off", isDisabled: true)],
    ]
    let another = [chief, account(.administrator, ["x"], id: "another")]
    for changed in [nil, disabled, demoted] {
      for others in noHelp { #expect(chief.isLastInCharge(becoming: changed, among: others)) }
      #expect(!chief.isLastInCharge(becoming: changed, among: another))
      #expect(!disabled.isLastInCharge(becoming: changed, among: []))
      #expect(!account(.user, ["a"]).isLastInCharge(becoming: changed, among: []))
    }
    for others in noHelp { #expect(!chief.isLastInCharge(becoming: moved, among: others)) }
  }

  @Test func soIsTheLastOperatorOfAHubWithoutAdministrators() {
    let chief = actor(.operator)
    var (disabled, demoted, promoted) = (chief, chief, chief)
    disabled.isDisabled = true
    demoted.role = .user
    promoted.role = .administrator
    for changed in [nil, disabled, demoted] {
      #expect(chief.isLastInCharge(becoming: changed, among: [chief]))
      for role in [AccountRole.operator, .administrator] {
        #expect(!chief.isLastInCharge(becoming: changed, among: [account(role, ["x"], id: "other")]))
      }
    }
    #expect(!chief.isLastInCharge(becoming: promoted, among: []))
    #expect(denial(.change(to: promoted), on: chief, by: chief) == .roleNotGranted(.administrator))
    var wider = chief
    wider.groups = ["a", "b", "c"]
    #expect(denial(.change(to: wider), on: chief, by: chief) == .groupsNotGranted(["c"]))
  }

  @Test func callsAreOfTheGroupsInWhichPartiesMeet() {
    func party(_ groups: Set<String>, role: UserRole = .user) -> Principal {
      Principal(userID: "p", userTitle: "p", role: role, kind: .person, groups: groups)
    }
    let (guest, rights) = (party([], role: .guest), AccountRights(of: actor(.operator)))
    #expect(rights.mayEndCall(between: guest, and: party(["a", "c"], role: .device)))
    #expect(!rights.mayEndCall(between: guest, and: party(["c"], role: .device)))
    let cases: [(Set<String>, Set<String>, Bool)] = [
      (["a"], ["a"], true), (["a", "c"], ["c", "b"], false), (["c"], ["c"], false), (["a", "c"], ["a", "c"], true),
    ]
    for (caller, receiver, isOwn) in cases {
      let (caller, receiver) = (party(caller), party(receiver))
      for role in AccountRole.allCases {
        let rights = AccountRights(of: actor(role))
        let expected = role == .administrator || role == .operator && isOwn
        #expect(rights.mayEndCall(between: caller, and: receiver) == expected)
      }
      let disabled = AccountRights(of: actor(.administrator, isDisabled: true))
      #expect(!disabled.mayEndCall(between: caller, and: receiver))
    }
  }
}
