internal import HubCore
internal import HubStore
internal import Logging

/// Who uses the hub: accounts, logins and guests, their tokens, and the log of what they do.
struct HubIdentities: Sendable {
  let admission: LoginRateLimiter
  let principals: PrincipalCache
  let tokens: TokenAuthority
  let authenticator: Authenticator
  let passwords: PasswordLogins
  let logins: LoginService
  let guests: GuestService
  let seen: SeenUsers
  let reports: DeviceReports
  let audit: AuditLog

  init(
    _ configuration: HubConfiguration, store: any HubStore, streams: EventStreamWakeups, limits: HubLimits,
    passwordCost: PasswordHash.Cost, logger: Logger
  ) async throws {
    let admission = LoginRateLimiter(rates: configuration.admission, limits: limits)
    self.admission = admission
    let ended = EndedLogins()
    principals = PrincipalCache(
      store: store, allowsAnonymous: configuration.anonymousLogin, endedLogins: ended,
      lifetime: store.notifiesOfAccountChanges ? AccountWatch.longPause * 2 : .seconds(10))
    tokens = try await TokenAuthority(store: store, accessTokenLifetime: configuration.accessTokenLifetime)
    authenticator = Authenticator(store: store, cost: passwordCost)
    audit = AuditWriting.makeLog(store: store, limits: configuration.audit, logger: logger)
    logins = LoginService(store: store, tokens: tokens, ended: ended, streams: streams, audit: audit, logger: logger)
    passwords = PasswordLogins(
      store: store, authenticator: authenticator, tokens: tokens, desk: logins, limits: limits,
      passwordCost: passwordCost
    ) { account in try admission.admit(.login, of: account.id) }
    seen = SeenUsers(store: store, logger: logger)
    reports = DeviceReports(store: store, logger: logger)
    guests = GuestService(store: store, tokens: tokens, logins: logins, audit: audit)
  }
}
