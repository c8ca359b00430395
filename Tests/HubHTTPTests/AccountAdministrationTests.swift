import Foundation
import HubCore
import HubStore
import HubStoreSQLite
import NIOHTTP1
import Signalling
import Testing

@testable import HubHTTP

/// What operators do to accounts and calls by requests; ``AccountRights`` has tests of its own.
@Suite(.timeLimit(.minutes(1)))
struct AccountAdministrationTests {
  private func replacements(_ reader: Member, at hub: HubFixture) async throws -> [AuditEntry] {
    try await hub.send(.GET, "/v1/audit?kind=key-replaced", by: reader).decode(AuditPage.self).items
  }

  @Test func aDeviceIsCreatedReplacedAndRemoved() async throws {
    try await HubFixture.run { hub in
      let chief = try await hub.addPerson("chief", role: .administrator)
      let made = try await hub.send(.POST, "/v1/accounts", NewAccount(title: "Door", kind: .device), by: chief)
      #expect(made.status == 201)
      let grant = try made.decode(AccountGrant.self)
      let key = try #require(grant.enrolmentKey)
      #expect(grant.account.role == .device && grant.account.groups == ["default"] && grant.code == nil)
      let device = try await hub.login(LoginRequest(userTitle: "Door", enrolmentKey: key))
      #expect(device.id == grant.account.id)
      let renewed = try await hub.send(.POST, "/v1/accounts/\(device.id)/enrolment", by: chief)
      let next = try #require(try renewed.decode(AccountGrant.self).enrolmentKey)
      #expect(try await hub.send(.POST, "/v1/login", LoginRequest(userTitle: "", enrolmentKey: key)).status == 401)
      try await hub.eventually { try await hub.send(.GET, "/v1/users", by: device).status == 401 }
      #expect(try await hub.login(LoginRequest(userTitle: "", enrolmentKey: next)).id == device.id)
      #expect(try await hub.send(.POST, "/v1/accounts/\(device.id)/password", by: chief).status == 403)
      #expect(try await hub.send(.DELETE, "/v1/accounts/\(device.id)", by: chief).status == 204)
      #expect(try await hub.send(.DELETE, "/v1/accounts/\(device.id)", by: chief).status == 404)
      #expect(try await hub.send(.POST, "/v1/login", LoginRequest(userTitle: "", enrolmentKey: next)).status == 401)
    }
  }

  @Test func aPersonChoosesAPasswordByACodeOnce() async throws {
    try await HubFixture.run { hub in
      let chief = try await hub.addPerson("chief", role: .administrator)
      let made = try await hub.send(.POST, "/v1/accounts", NewAccount(title: "Anna", kind: .person), by: chief)
      let grant = try made.decode(AccountGrant.self)
      let code = try #require(grant.code)
      #expect(grant.account.credential == .oneTimeCode && grant.account.credentialExpiresAt != nil)
      #expect(try await hub.send(.POST, "/v1/login", LoginRequest(userTitle: "anna", password: code)).status == 401)
      var choice = PasswordChoice(userTitle: "anna", code: "0000-0000-0000-0000", newPassword: "chosen by anna")
      #expect(try await hub.send(.POST, "/v1/password", choice).problem == "bad-credentials")
      choice.code = code.lowercased().replacing("-", with: " ")
      choice.newPassword = "short"
      #expect(try await hub.send(.POST, "/v1/password", choice).status == 400)
      choice.newPassword = "chosen by anna"
      let answer = try await hub.send(.POST, "/v1/password", choice)
      let login = try answer.decode(LoginResponse.self)
      #expect(answer.status == 200 && login.userID == grant.account.id)
      let anna = Member(id: login.userID, token: login.accessToken)
      #expect(try await hub.send(.GET, "/v1/users", by: anna).status == 200)
      #expect(try await hub.send(.POST, "/v1/password", choice).status == 401)
      // Forgotten: the old one ends.
      #expect(try await hub.send(.POST, "/v1/accounts/\(anna.id)/password", by: chief).status == 200)
      let old = LoginRequest(userTitle: "anna", password: "chosen by anna")
      #expect(try await hub.send(.POST, "/v1/login", old).status == 401)
      try await hub.eventually { try await hub.send(.GET, "/v1/users", by: anna).status == 401 }
    }
  }

  @Test func oneChangesOnesOwnPassword() async throws {
    try await HubFixture.run { hub in
      let anna = try await hub.addPerson("anna")
      let other = try await hub.login(LoginRequest(userTitle: "anna", password: HubFixture.password))
      let wrong = PasswordChange(oldPassword: "not that one", newPassword: "another one")
      #expect(try await hub.send(.PUT, "/v1/password", wrong, by: anna).status == 403)
      let change = PasswordChange(oldPassword: HubFixture.password, newPassword: "another one")
      let answer = try await hub.send(.PUT, "/v1/password", change, by: anna)
      let fresh = try answer.decode(LoginResponse.self)
      // At once, whatever this node remembers of the account.
      #expect(try await hub.send(.GET, "/v1/users", by: Member(id: anna.id, token: fresh.accessToken)).status == 200)
      for ended in [anna, other] { #expect(try await hub.send(.GET, "/v1/users", by: ended).status == 401) }
      _ = try await hub.login(LoginRequest(userTitle: "anna", password: "another one"))
      let device = try await hub.addDevice("door")
      #expect(try await hub.send(.PUT, "/v1/password", change, by: device).status == 403)
    }
  }

  @Test func anOperatorStaysWithinItsGroups() async throws {
    try await HubFixture.run { hub in
      let olga = try await hub.addPerson("olga", role: .operator, groups: ["a"])
      let (own, foreign) = (
        try await hub.addDevice("door a", groups: ["a"]), try await hub.addDevice("door b", groups: ["b"])
      )
      let shared = try await hub.addDevice("door ab", groups: ["a", "b"])
      let listed = try await hub.send(.GET, "/v1/devices", by: olga).decode(AccountList.self)
      #expect(listed.items.map(\.title) == ["door a"] && listed.count == 1)
      for id in [foreign.id, shared.id, "nobody"] {
        #expect(try await hub.send(.POST, "/v1/accounts/\(id)/enrolment", by: olga).status == 404)
        #expect(try await hub.send(.DELETE, "/v1/accounts/\(id)", by: olga).status == 404)
        let change = AccountChange(title: "taken over")
        #expect(try await hub.send(.PATCH, "/v1/accounts/\(id)", change, by: olga).status == 404)
      }
      let grab = AccountChange(groups: ["a", "b"])
      #expect(try await hub.send(.PATCH, "/v1/accounts/\(own.id)", grab, by: olga).status == 403)
      let rise = AccountChange(role: .administrator)
      #expect(try await hub.send(.PATCH, "/v1/accounts/\(olga.id)", rise, by: olga).status == 403)
      #expect(try await hub.send(.DELETE, "/v1/accounts/\(olga.id)", by: olga).problem == "not-allowed")
      let made = try await hub.send(.POST, "/v1/accounts", NewAccount(title: "gate", kind: .device), by: olga)
      #expect(try made.decode(AccountGrant.self).account.groups == ["a"])
      let taken = try await hub.send(.POST, "/v1/accounts", NewAccount(title: "GATE", kind: .device), by: olga)
      #expect(taken.status == 409 && taken.problem == "title-in-use")
    }
  }

  @Test func aDisabledAccountIsOutUntilItIsEnabled() async throws {
    try await HubFixture.run { hub in
      let chief = try await hub.addPerson("chief", role: .administrator)
      let anna = try await hub.addPerson("anna")
      let off = AccountChange(isDisabled: true)
      let entry = try await hub.send(.PATCH, "/v1/accounts/\(anna.id)", off, by: chief).decode(AccountEntry.self)
      #expect(entry.isDisabled && entry.credential == .password)
      #expect(try await hub.send(.GET, "/v1/users", by: anna).status == 401)
      let login = LoginRequest(userTitle: "anna", password: HubFixture.password)
      #expect(try await hub.send(.POST, "/v1/login", login).status == 401)
      #expect(try await hub.send(.PATCH, "/v1/accounts/\(chief.id)", off, by: chief).status == 403)
      let on = AccountChange(isDisabled: false)
      #expect(try await hub.send(.PATCH, "/v1/accounts/\(anna.id)", on, by: chief).status == 200)
      #expect(try await hub.login(login).id == anna.id)
    }
  }

  /// Each is allowed to when it asks, since the other is in charge.
  @Test func twoWhoTakeEachOtherOutOfChargeLeaveOne() async throws {
    try await HubFixture.run { hub in
      for round in 0..<10 {
        let (anna, ben) = (
          try await hub.addPerson("anna \(round)", role: .administrator),
          try await hub.addPerson("ben \(round)", role: .administrator)
        )
        let demotion = AccountChange(role: .user)
        async let first = hub.send(.DELETE, "/v1/accounts/\(ben.id)", by: anna).status
        async let second = hub.send(.PATCH, "/v1/accounts/\(anna.id)", demotion, by: ben).status
        let statuses = try await [first, second]
        #expect(statuses.contains { (200...204).contains($0) }, "\(statuses)")
        let left = try await hub.store.users().filter { $0.standing.isInCharge }
        #expect(left.count == 1, "\(statuses)")
        for user in left { try await hub.store.removeUser(id: user.id) }
      }
    }
  }

  @Test func pagesHoldEveryAccountOnce() async throws {
    try await HubFixture.run { hub in
      let chief = try await hub.addPerson("Chief", role: .administrator)
      for number in 0..<25 {
        _ = try await hub.accounts.enrolDevice(
          title: "Tür \(number) ß", groups: [], replacing: false, id: "\(number)", now: 0)
      }
      var (titles, next): ([String], String?) = ([], "")
      while let last = next {
        let after = try #require(last.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let page = try await hub.send(.GET, "/v1/accounts?limit=7&after=\(after)", by: chief).decode(AccountList.self)
        #expect(page.count == 26 && page.items.count <= 7)
        titles += page.items.map(\.title)
        next = page.next
      }
      #expect(titles.count == 26 && Set(titles).count == 26)
    }
  }

  @Test func listsSayWhoIsOnlineAndFindTitles() async throws {
    try await HubFixture.run { hub in
      let chief = try await hub.addPerson("chief", role: .administrator)
      let device = try await hub.addDevice("Front door")
      try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        let found = try await hub.send(.GET, "/v1/accounts?search=DOOR", by: chief).decode(AccountList.self)
        let entry = try #require(found.items.first)
        #expect(found.count == 1 && entry.id == device.id && entry.isOnline && entry.lastSeen != nil)
      }
      let cut = try await hub.send(.GET, "/v1/accounts?limit=1", by: chief).decode(AccountList.self)
      #expect(cut.items.count == 1 && cut.count == 2)
      let next = try #require(cut.next)
      let rest = try await hub.send(.GET, "/v1/accounts?limit=1&after=\(next)", by: chief).decode(AccountList.self)
      #expect(rest.items.map(\.title) == ["Front door"] && rest.count == 2 && rest.next == nil)
      #expect(try await hub.send(.GET, "/v1/accounts?limit=0", by: chief).status == 400)
      let logins = try await hub.send(.GET, "/v1/accounts/\(chief.id)/logins", by: chief).decode(LoginList.self)
      #expect(logins.items.count == 1)
    }
  }

  @Test func theAuditLogSaysWhatWasDoneFromWhereAndWhatWasRefused() async throws {
    try await HubFixture.run { hub in
      let chief = try await hub.addPerson("chief", role: .administrator)
      let olga = try await hub.addPerson("olga", role: .operator, groups: ["a"])
      let foreign = try await hub.addDevice("door b", groups: ["b"])
      let own = try await hub.addDevice("door a", groups: ["a"])
      for _ in 0..<3 {
        #expect(try await hub.send(.POST, "/v1/accounts/\(foreign.id)/enrolment", by: olga).status == 404)
      }
      #expect(try await hub.send(.POST, "/v1/accounts/\(own.id)/enrolment", by: olga).status == 200)
      try await hub.eventually { try await replacements(chief, at: hub).count == 2 }
      let all = try await replacements(chief, at: hub)
      #expect(all.map(\.outcome) == [.done, .refused], "repetitions of what is refused are summarised")
      #expect(all.map(\.subject?.id) == [own.id, foreign.id])
      #expect(all.allSatisfy { $0.actor.id == olga.id && $0.actor.address != nil && $0.actor.loginID != nil })
      #expect(try await replacements(olga, at: hub).map(\.subject?.id) == [own.id], "a foreign account is not named")
    }
  }

  @Test func wrongCodesAndOldPasswordsAreFailedLogins() async throws {
    try await HubFixture.run { hub in
      let chief = try await hub.addPerson("chief", role: .administrator)
      let anna = try await hub.addPerson("anna")
      let choice = PasswordChoice(userTitle: "anna", code: "0000-0000-0000-0000", newPassword: "chosen by anna")
      #expect(try await hub.send(.POST, "/v1/password", choice).status == 401)
      let change = PasswordChange(oldPassword: String(repeating: "x", count: 2_000), newPassword: "another one")
      #expect(try await hub.send(.PUT, "/v1/password", change, by: anna).status == 403)
      try await hub.eventually {
        let page = try await hub.send(.GET, "/v1/audit?kind=login-failed", by: chief).decode(AuditPage.self)
        return page.items.map(\.subject?.id) == [anna.id]
      }
    }
  }

  @Test func aRoleThatWasTakenAwayReadsNothingMore() async throws {
    try await HubFixture.run { hub in
      let olga = try await hub.addPerson("olga", role: .operator)
      #expect(try await hub.send(.GET, "/v1/audit", by: olga).status == 200)
      var record = try #require(try await hub.store.user(id: olga.id))
      record.accountRole = .user
      try await hub.store.update(record)
      #expect(try await hub.send(.GET, "/v1/audit", by: olga).status == 403)
    }
  }

  @Test func anEndedCallIsInTheAuditLog() async throws {
    try await HubFixture.run { hub in
      let chief = try await hub.addPerson("chief", role: .administrator)
      let (anna, door) = (try await hub.addPerson("anna"), try await hub.addDevice("door"))
      try await hub.withEvents(of: door) { events in
        try await hub.publish(door, stream: events)
        let id = UUID().uuidString.lowercased()
        let request = SessionRequest(receiverID: door.id, isAudio: true, isVideo: true, offer: "v=0\r\n")
        #expect(try await hub.send(.PUT, "/v1/sessions/\(id)", request, by: anna).status == 201)
        #expect(try await hub.send(.DELETE, "/v1/active-calls/\(id)", by: chief).status == 204)
      }
      try await hub.eventually {
        let page = try await hub.send(.GET, "/v1/audit?kind=call-ended", by: chief).decode(AuditPage.self)
        return page.items.first?.subject?.id == door.id && page.items.first?.changes.first?.after == "anna"
      }
    }
  }
}
