internal import HubCore
internal import HubStore
internal import Logging
internal import Signalling

/// Begins, renews, lists and ends logins: the tokens and the store's record of them together.
///
/// On a full disk logins continue without a record, since no login would work otherwise; what ends then ends on this
/// node alone, and its client is asked to retry.
final class LoginService: Sendable {
  private let logins: Logins
  private let store: any HubStore
  private let tokens: TokenAuthority
  private let ended: EndedLogins
  private let streams: EventStreamWakeups
  private let audit: AuditLog
  private let logger: Logger

  init(
    store: any HubStore, tokens: TokenAuthority, ended: EndedLogins, streams: EventStreamWakeups, audit: AuditLog,
    logger: Logger
  ) {
    logins = Logins(store: store)
    self.audit = audit
    (self.store, self.tokens, self.ended, self.streams, self.logger) = (store, tokens, ended, streams, logger)
  }

  /// A person has given the password.
  func begin(_ account: UserRecord, from origin: LoginRecord.Origin) async throws -> LoginResponse {
    let id = TokenAuthority.makeLoginID()
    let now = TokenAuthority.nowInMilliseconds
    do {
      try await logins.begin(
        LoginRecord(
          id: id, userID: account.id, startedAt: now, renewedAt: now, expiresAt: tokens.renewalEnd, origin: origin))
    } catch HubStoreError.diskFull {
      // It is kept from its first renewal on.
    }
    audit.record(
      AuditEvent(
        .login,
        by: AuditActor(
          .account, id: account.id, title: account.title, address: origin.address, loginID: id),
        changes: [AuditChange(.client, to: origin.client)], groups: account.groups))
    return try await tokens.grantAccess(
      to: account.principal, generation: account.credentialGeneration, loginID: id)
  }

  func renew(
    _ claims: AccessClaims, of principal: Principal, from origin: LoginRecord.Origin
  ) async throws -> LoginResponse {
    try await tokens.grantAccess(
      to: principal, generation: claims.gen, loggedInAt: claims.loggedInAt, loginID: claims.loginID,
      number: try await nextNumber(claims, of: principal, from: origin))
  }

  private func nextNumber(
    _ claims: AccessClaims, of principal: Principal, from origin: LoginRecord.Origin
  ) async throws -> Int64 {
    let now = TokenAuthority.nowInMilliseconds
    let rings = try await rings(claims, principal)
    guard rings || !TokenAuthority.isLate(claims) else { throw HubRefusal.notAuthenticated }
    let end = max(tokens.renewalEnd, rings ? now + LoginMemory.whileRinging : 0)
    let claimed = LoginRecord(
      id: claims.loginID, userID: claims.sub, number: claims.number, startedAt: claims.loggedInAt * 1_000,
      renewedAt: now, expiresAt: end, origin: origin)
    do {
      switch try await logins.renew(claimed, number: claims.number, now: now, expiresAt: end) {
      case .renewed(let number): return number
      case .ended: throw HubRefusal.notAuthenticated
      case .reused:
        logger.warning(
          "an old token of a login was renewed once more: two have it, so it ends; its owner should log in again",
          metadata: ["user": "\(claims.sub)", "address": "\(origin.address)"])
        audit.record(
          AuditEvent(
            .loginEnded, by: AuditActor(.hub), on: AuditSubject(.login, id: claims.loginID, title: principal.userTitle),
            changes: [AuditChange(.reason, to: "token-reused")], groups: principal.groups))
        try await endWhereItCanBeKept(claims.loginID, of: claims.sub)
        throw HubRefusal.notAuthenticated
      }
    } catch HubStoreError.diskFull {
      return claims.number
    }
  }

  /// Whether the login has a push subscription, which people alone may have.
  private func rings(_ claims: AccessClaims, _ principal: Principal) async throws -> Bool {
    guard principal.kind == .person, principal.role != .anonymous else { return false }
    return try await store.subscriptions(ofUser: claims.sub).contains { $0.loginID == claims.loginID }
  }

  /// Ends a login, on a full disk on this node alone.
  private func endWhereItCanBeKept(_ id: String, of userID: String) async throws {
    do { try await end(id, of: userID) } catch HubStoreError.diskFull {}
  }

  /// Ends a login: at once here, within seconds at other nodes.
  func end(_ id: String, of userID: String) async throws {
    let now = TokenAuthority.nowInMilliseconds
    note([EndedLogin(id: id, endedAt: now)])
    try await logins.end(id, of: userID, at: now)
  }

  /// Ends what the user has besides one login.
  func endOthers(than id: String, by user: Principal, from origin: LoginRecord.Origin) async throws {
    let userID = user.userID
    let now = TokenAuthority.nowInMilliseconds
    let ids = try await logins.endAll(of: userID, but: id, at: now)
    note(ids.map { EndedLogin(id: $0, endedAt: now) })
    for ended in ids { noteEnd(of: ended, by: user, from: origin, at: id) }
  }

  /// Ends what the user has.
  func endAll(of userID: String) async throws {
    let now = TokenAuthority.nowInMilliseconds
    let ids = try await logins.endAll(of: userID, at: now)
    note(ids.map { EndedLogin(id: $0, endedAt: now) })
  }

  /// Ends one of the user's logins; false where it is none.
  ///
  /// - Parameter current: the login by which that is asked for.
  func end(
    listed id: String, by user: Principal, from origin: LoginRecord.Origin, at current: String
  ) async throws -> Bool {
    guard try await store.login(id: id)?.userID == user.userID else { return false }
    try await end(id, of: user.userID)
    noteEnd(of: id, by: user, from: origin, at: current)
    return true
  }

  /// A credential was wrong: the password, a one-time code, or the old password where it is to be changed. What is no
  /// account's title is not kept: people type passwords there, too.
  func noteFailure(of account: UserRecord?, from origin: LoginRecord.Origin) {
    audit.record(
      AuditEvent(
        .loginFailed, by: AuditActor(.unknown, address: origin.address), on: account.map { AuditSubject($0) },
        outcome: .refused, groups: account?.groups ?? []))
  }

  /// A person has chosen another password.
  func notePassword(of account: UserRecord, from origin: LoginRecord.Origin) {
    let actor = AuditActor(.account, id: account.id, title: account.title, address: origin.address)
    audit.record(AuditEvent(.passwordChanged, by: actor, on: AuditSubject(account), groups: account.groups))
  }

  private func noteEnd(of id: String, by user: Principal, from origin: LoginRecord.Origin, at current: String) {
    let actor = AuditActor(
      .account, id: user.userID, title: user.userTitle, address: origin.address, loginID: current)
    audit.record(AuditEvent(.loginEnded, by: actor, on: AuditSubject(.login, id: id), groups: user.groups))
  }

  func list(of userID: String, current id: String) async throws -> LoginList {
    let records = try await store.logins(ofUser: userID).sorted { $0.renewedAt > $1.renewedAt }
    return LoginList(
      items: records.map { record in
        LoginEntry(
          id: record.id, startedAt: record.startedAt, renewedAt: record.renewedAt, address: record.origin.address,
          client: record.origin.client, isCurrent: record.id == id)
      })
  }

  /// Refuses the tokens of these logins from now on, and ends their streams; returns those that were not known.
  @discardableResult
  func note(_ logins: [EndedLogin]) -> Set<String> {
    let new = ended.note(logins)
    if !new.isEmpty { streams.end(logins: new) }
    return new
  }

  func forgetOld() { ended.forget(before: TokenAuthority.nowInMilliseconds - LoginMemory.length) }
}
