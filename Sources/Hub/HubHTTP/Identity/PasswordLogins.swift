internal import Foundation
internal import HubCore
internal import HubStore
internal import Signalling
internal import SystemSupport

/// Logs people in by their passwords: slowly for those who guess, at once for those who know.
final class PasswordLogins: Sendable {
  private let store: any HubStore
  private let authenticator: Authenticator
  private let tokens: TokenAuthority
  private let desk: LoginService
  private let checks: PasswordChecks
  private let admit: @Sendable (UserRecord) throws -> Void
  private let throttle: Mutex<LoginThrottle>

  /// - Parameter admit: throws for an account that has logged in too often lately, with the right password.
  init(
    store: any HubStore, authenticator: Authenticator, tokens: TokenAuthority, desk: LoginService, limits: HubLimits,
    admit: @escaping @Sendable (UserRecord) throws -> Void
  ) {
    self.admit = admit
    self.store = store
    self.authenticator = authenticator
    self.tokens = tokens
    self.desk = desk
    checks = PasswordChecks(limits: limits)
    throttle = Mutex(LoginThrottle(limits: limits))
  }

  func logIn(
    _ login: LoginRequest, password: String, from origin: LoginRecord.Origin
  ) async throws -> LoginResponse {
    let clientID = try await knownClient(login)
    let attempt = LoginAttempt(
      address: origin.address, titleKey: UserRecord.titleKey(login.userTitle), knownClient: clientID)
    guard let account = try await check(attempt, title: login.userTitle, password: password) else {
      throw HubRefusal.badCredentials
    }
    try admit(account)
    var response = try await desk.begin(account, from: origin)
    response.clientToken = try await tokens.clientToken(
      userID: account.id, clientID: clientID ?? UUID().uuidString.lowercased())
    return response
  }

  /// The account, or nil when the password is wrong, which counts; what failed otherwise does not.
  private func check(_ attempt: LoginAttempt, title: String, password: String) async throws -> UserRecord? {
    let standing = try throttle.withLock { throttle throws(HubRefusal) in
      try throttle.admit(attempt, now: .now)
      return throttle.standing(of: attempt, now: .now)
    }
    var isFailure = false
    defer {
      throttle.withLock { isFailure ? $0.noteFailure(of: attempt, now: .now) : $0.forgive(attempt, now: .now) }
    }
    let account = try await authenticator.user(title: title, password: password) { [checks] work in
      try await checks.run(origin: attempt.knownClient ?? attempt.address, standing: standing, work)
    }
    isFailure = account == nil
    return account
  }

  /// The client's name when it has logged in as this very user before.
  private func knownClient(_ login: LoginRequest) async throws -> String? {
    guard let token = login.clientToken, let claims = await tokens.clientClaims(of: token),
      try await store.user(title: login.userTitle)?.id == claims.sub
    else { return nil }
    return claims.jti
  }
}
