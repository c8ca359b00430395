internal import Foundation
internal import HubCore
internal import HubStore
internal import Logging
internal import Signalling

/// Administrates accounts for operators: what may be done ``HubCore/AccountRights`` decides, for each request here.
struct AccountDesk: Sendable {
  /// What one list shows at most.
  static let maximumListed = 1_000

  let store: any HubStore
  let hub: Hub
  let passwords: PasswordLogins
  let logins: LoginService
  let seen: SeenUsers
  let reports: DeviceReports
  let log: AccountLog
  let logger: Logger

  private var accounts: Accounts { Accounts(store: store) }

  // MARK: Who asks

  /// Who asks, with the rights of that account as it is now; refuses those who administrate nothing, before anything else of
  /// the request is read.
  func administrator(_ requester: Requester) async throws -> Administrator {
    guard let actor = try await store.user(id: requester.principal.userID)?.standing, actor.isInCharge else {
      throw HubRefusal(.notInCharge)
    }
    return Administrator(requester: requester, rights: AccountRights(of: actor))
  }

  /// Has who asks change something: the change itself says in the audit log what was done, and this what was not.
  ///
  /// - Parameter target: the account that is to be changed; nil for a new one.
  func attempt<Value>(
    _ kind: AuditKind, on target: String? = nil, by requester: Requester,
    _ change: (Administrator) async throws -> Value
  ) async throws -> Value {
    do {
      return try await change(try await administrator(requester))
    } catch let refusal as HubRefusal {
      if [403, 404].contains(refusal.problem.status) {
        await log.noteFailure(of: kind, on: target, by: requester, .refused, reason: refusal.problem.type)
      }
      throw refusal
    } catch {
      await log.noteFailure(of: kind, on: target, by: requester, .failed, reason: "store")
      throw error
    }
  }

  // MARK: Reading

  /// - Parameter last: the title behind which the list continues; it need not be an account's any more.
  func list(
    _ kind: UserKind?, search: String?, after last: String?, limit: Int, for administrator: Administrator
  ) async throws -> AccountList {
    let key = search.map { UserRecord.titleKey($0) }
    let found = try await store.users().filter { user in
      guard kind == nil || user.kind == kind, administrator.rights.allows(.read, on: user.standing) else {
        return false
      }
      return key.map { UserRecord.titleKey(user.title).contains($0) || user.id.hasPrefix($0) } ?? true
    }
    let rest = last.map { Self.rest(of: found, behind: UserRecord.titleKey($0)) } ?? found[...]
    let page = Array(rest.prefix(limit))
    return AccountList(
      count: found.count, items: try await entries(page), next: page.count < rest.count ? page.last?.title : nil)
  }

  /// Stores list by the bytes of titles' keys.
  private static func rest(of users: [UserRecord], behind key: String) -> ArraySlice<UserRecord> {
    users.drop { !key.utf8.lexicographicallyPrecedes(UserRecord.titleKey($0.title).utf8) }
  }

  func entry(_ user: UserRecord) async throws -> AccountEntry { try await entries([user])[0] }

  private func entries(_ users: [UserRecord]) async throws -> [AccountEntry] {
    let ids = users.map(\.id)
    let online = try await hub.backplane.online(ids)
    let latest = try await seen.latest(of: ids)
    let reported = try await reports.latest(of: users.filter { $0.kind == .device }.map(\.id))
    return users.map {
      AccountEntry($0, isOnline: online.contains($0.id), seen: latest[$0.id], reported: reported[$0.id])
    }
  }

  func logins(of id: String, for administrator: Administrator) async throws -> LoginList {
    let user = try await known(id, .read, administrator.rights)
    return try await logins.list(of: user.id, current: "")
  }

  // MARK: Changing

  func create(_ new: NewAccount, by administrator: Administrator) async throws -> AccountGrant {
    let groups = Self.groups(of: new, by: administrator.requester.principal)
    let role = new.kind == .device ? AccountRole.device : new.role ?? .user
    guard (role == .device) == (new.kind == .device) else { throw HubRefusal(.otherKind) }
    let id = UUID().uuidString.lowercased()
    try check(.create, on: AccountStanding(id: id, role: role, groups: groups), administrator.rights)
    let now = TokenAuthority.nowInMilliseconds
    let grant: AccountGrant
    let made: UserRecord
    switch new.kind {
    case .device:
      let (record, key) = try await changing {
        try await accounts.enrolDevice(title: new.title, groups: groups, replacing: false, id: id, now: now)
      }
      grant = AccountGrant(account: try await entry(record), enrolmentKey: key.text)
      made = record
    case .person:
      let (credential, code) = try await credential(new.password, of: id, now: now)
      var person = UserRecord(
        id: id, title: new.title, role: .user, kind: .person, groups: groups, credential: credential, createdAt: now)
      person.accountRole = role
      let record = try await changing { try await accounts.add(person) }
      grant = AccountGrant(account: try await entry(record), code: code)
      made = record
    }
    log.note(
      made.kind == .device ? .deviceEnrolled : .accountCreated, on: made, by: administrator,
      changes: [
        AuditChange(.role, to: made.accountRole.rawValue),
        AuditChange(.groups, to: made.groups.sorted().joined(separator: ",")),
      ])
    return grant
  }

  func change(
    _ id: String, _ change: AccountChange, by administrator: Administrator
  ) async throws -> AccountEntry {
    var former: UserRecord?
    let changed = try await edit(id) { user in
      former = user
      let before = user.standing
      if let title = change.title { user.title = title }
      if let role = change.role { user.accountRole = role }
      if let groups = change.groups { user.groups = Set(groups) }
      if let isDisabled = change.isDisabled { user.isDisabled = isDisabled }
      try administrator.rights.check(.change(to: user.standing), on: before)
    }
    log.noteChange(from: former ?? changed, to: changed, by: administrator)
    if changed.isDisabled {
      try await logins.endAll(of: id)
      await endCalls(of: id)
    }
    return try await entry(changed)
  }

  func remove(_ id: String, by administrator: Administrator) async throws {
    let user = try await known(id, .remove, administrator.rights)
    // Taken out of charge first: the logins of an account that has to stay do not end.
    if user.standing.isInCharge { _ = try await edit(user.id) { $0.isDisabled = true } }
    try await logins.endAll(of: user.id)
    _ = try await changing { try await store.removeUser(id: user.id, leaving: .someoneInCharge) }
    log.note(user.kind == .device ? .deviceRevoked : .accountRemoved, on: user, by: administrator)
    await endCalls(of: user.id)
  }

  /// A device's new key; the old one ends with its logins.
  func renewKey(of id: String, by administrator: Administrator) async throws -> AccountGrant {
    let key = EnrolmentKey()
    let changed = try await edit(id) { user in
      try administrator.rights.check(.renewCredential, on: user.standing)
      guard user.kind == .device else { throw HubRefusal.notAllowed("only devices have enrolment keys") }
      user.credential = .enrolmentKey(key.hashed)
    }
    log.note(.keyReplaced, on: changed, by: administrator)
    try await logins.endAll(of: id)
    return AccountGrant(account: try await entry(changed), enrolmentKey: key.text)
  }

  /// A code by which the person chooses a password; the old one ends with its logins.
  func resetPassword(of id: String, by administrator: Administrator) async throws -> AccountGrant {
    let (code, stored) = OneTimeCode.make(now: TokenAuthority.nowInMilliseconds)
    let changed = try await edit(id) { user in
      try administrator.rights.check(.renewCredential, on: user.standing)
      guard user.kind == .person else { throw HubRefusal.notAllowed("only people have passwords") }
      user.credential = .password(stored.text)
    }
    log.note(.passwordChanged, on: changed, by: administrator)
    try await logins.endAll(of: id)
    return AccountGrant(account: try await entry(changed), code: code)
  }

  func endLogins(of id: String, by administrator: Administrator) async throws {
    let user = try await known(id, .renewCredential, administrator.rights)
    try await logins.endAll(of: user.id)
    log.note(.loginEnded, on: user, by: administrator)
  }

  // MARK: Calls

  func calls(for administrator: Administrator) async throws -> ActiveCalls {
    let now = TokenAuthority.nowInMilliseconds
    let calls = try await hub.backplane.ongoingCalls()
    return ActiveCalls(
      items: calls.filter { administrator.rights.mayEndCall(between: $0.caller, and: $0.receiver) }
        .map { ActiveCall($0, now: now) })
  }

  func endCall(_ id: SessionID, by administrator: Administrator) async throws {
    guard let call = try await hub.backplane.ongoingCall(id),
      administrator.rights.mayEndCall(between: call.caller, and: call.receiver)
    else { throw HubRefusal.sessionUnknown }
    try await hub.backplane.endCall(id)
    log.noteEnd(of: call, by: administrator)
  }

  // MARK: Parts

  /// The only group of who asks, where none is named.
  private static func groups(of new: NewAccount, by principal: Principal) -> Set<String> {
    if let groups = new.groups, !groups.isEmpty { return Set(groups) }
    return principal.groups.count == 1 ? principal.groups : [Accounts.defaultGroup]
  }

  /// Of a person: the password, or a code to choose one by.
  private func credential(
    _ password: String?, of id: String, now: Int64
  ) async throws -> (credential: Credential, code: String?) {
    if let password { return (try await passwords.credential(password, origin: "user \(id)"), nil) }
    let (code, stored) = OneTimeCode.make(now: now)
    return (.password(stored.text), code)
  }

  private func known(_ id: String, _ action: AccountAction, _ rights: AccountRights) async throws -> UserRecord {
    guard let user = try await store.user(id: id) else { throw HubRefusal(.outOfReach) }
    try check(action, on: user.standing, rights)
    return user
  }

  private func edit(_ id: String, _ change: (inout UserRecord) throws -> Void) async throws -> UserRecord {
    let changed = try await changing { try await accounts.change(id, leaving: .someoneInCharge, change) }
    guard let changed else { throw HubRefusal(.outOfReach) }
    return changed
  }

  private func changing<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let denial as AccountDenial {
      throw HubRefusal(denial)
    } catch HubStoreError.titleTaken {
      throw HubRefusal.titleInUse
    } catch HubStoreError.lastInCharge {
      throw HubRefusal(AccountDenial.lastInCharge)
    } catch let error as AccountError {
      throw HubRefusal(error)
    }
  }

  private func check(
    _ action: AccountAction, on target: AccountStanding, _ rights: AccountRights
  ) throws(HubRefusal) {
    do { try rights.check(action, on: target) } catch { throw HubRefusal(error) }
  }

  /// At once, not when the account's streams have ended.
  private func endCalls(of id: String) async {
    do {
      try await hub.backplane.withdrawPresence(userID: id, streamID: nil)
    } catch {
      logger.warning("the calls of \(id) end some seconds later: \(error)")
    }
  }
}

extension AccountRights {
  fileprivate func allows(_ action: AccountAction, on target: AccountStanding) -> Bool {
    do { try check(action, on: target) } catch { return false }
    return true
  }
}

extension HubRefusal {
  init(_ denial: AccountDenial) {
    switch denial {
    case .outOfReach: self = .notFound(denial.description)
    case .noGroup: self = .invalid(field: "groups", reason: denial.description)
    case .notInCharge, .roleNotGranted, .groupsNotGranted, .otherKind, .lastInCharge:
      self = .notAllowed(denial.description)
    }
  }

  init(_ error: AccountError) {
    switch error {
    case .badTitle(let refusal): self = .badTitle(refusal.description)
    case .badGroup, .noGroup, .tooManyGroups: self = .invalid(field: "groups", reason: error.description)
    case .weakPassword: self = .invalid(field: "password", reason: error.description)
    }
  }
}
