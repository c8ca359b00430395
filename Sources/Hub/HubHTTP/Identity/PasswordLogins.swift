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
  private let passwordCost: PasswordHash.Cost
  private let admit: @Sendable (UserRecord) throws -> Void
  private let throttle: Mutex<LoginThrottle>

  /// - Parameter admit: throws for an account that has logged in too often lately, with the right password.
  init(
    store: any HubStore, authenticator: Authenticator, tokens: TokenAuthority, desk: LoginService, limits: HubLimits,
    passwordCost: PasswordHash.Cost, admit: @escaping @Sendable (UserRecord) throws -> Void
  ) {
    self.admit = admit
    self.passwordCost = passwordCost
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
    return try await begin(account, clientID: clientID, from: origin)
  }

  /// Gives a person who knows the one-time code the password that was chosen, and logs in.
  func choose(_ choice: PasswordChoice, from origin: LoginRecord.Origin) async throws -> LoginResponse {
    let attempt = LoginAttempt(
      address: origin.address, titleKey: UserRecord.titleKey(choice.userTitle), knownClient: nil)
    let account = try await attempting(attempt) { _ in
      let account = try await store.user(title: choice.userTitle)
      return Self.isMatch(choice.code, account) ? account : nil
    }
    guard let account, let changed = try await setPassword(choice.newPassword, of: account, from: origin) else {
      desk.noteFailure(of: try? await store.user(title: choice.userTitle), from: origin)
      throw HubRefusal.badCredentials
    }
    return try await begin(changed, clientID: nil, from: origin)
  }

  /// Gives a person who knows the old password a new one; all logins end, and a new one begins.
  func change(
    _ change: PasswordChange, of userID: String, from origin: LoginRecord.Origin
  ) async throws -> LoginResponse {
    guard let account = try await store.user(id: userID) else { throw HubRefusal.notAuthenticated }
    // Counted by itself: who has a token is no stranger who guesses at the title, nor a neighbour's victim.
    let attempt = LoginAttempt(
      address: origin.address, titleKey: UserRecord.titleKey(account.title), knownClient: "user \(userID)")
    let isPlausible = change.oldPassword.utf8.count <= Self.maximumPasswordBytes
    guard isPlausible, try await check(attempt, title: account.title, password: change.oldPassword)?.id == userID else {
      desk.noteFailure(of: account, from: origin)
      throw HubRefusal.notAllowed("the old password is wrong")
    }
    guard let changed = try await setPassword(change.newPassword, of: account, from: origin) else {
      throw HubRefusal.overloaded("the account is being changed", retryAfter: 1)
    }
    return try await begin(changed, clientID: nil, from: origin)
  }

  /// What the store keeps of a password.
  func credential(_ password: String, origin: String) async throws -> Credential {
    guard password.utf8.count <= Self.maximumPasswordBytes else {
      throw HubRefusal.invalid(field: "password", reason: "has more than \(Self.maximumPasswordBytes) bytes")
    }
    let cost = passwordCost
    do {
      return try await checks.run(origin: origin, standing: .known) {
        try Accounts.credential(password: password, cost: cost)
      }
    } catch let error as AccountError {
      throw HubRefusal.invalid(field: "password", reason: error.description)
    }
  }

  static let maximumPasswordBytes = 1_024

  private static func isMatch(_ code: String, _ account: UserRecord?) -> Bool {
    guard let account, !account.isDisabled, let stored = account.oneTimeCode else { return false }
    return stored.matches(code, now: TokenAuthority.nowInMilliseconds)
  }

  /// Nil where another change of the account came first: a one-time code is good once.
  private func setPassword(
    _ password: String, of account: UserRecord, from origin: LoginRecord.Origin
  ) async throws -> UserRecord? {
    var changed = account
    changed.credential = try await credential(password, origin: "user \(account.id)")
    guard try await store.update(changed, ifStill: account) else { return nil }
    try await desk.endAll(of: account.id)
    desk.notePassword(of: account, from: origin)
    return try await store.user(id: account.id)
  }

  private func begin(
    _ account: UserRecord, clientID: String?, from origin: LoginRecord.Origin
  ) async throws -> LoginResponse {
    try admit(account)
    var response = try await desk.begin(account, from: origin)
    response.clientToken = try await tokens.clientToken(
      userID: account.id, clientID: clientID ?? UUID().uuidString.lowercased())
    return response
  }

  private func check(_ attempt: LoginAttempt, title: String, password: String) async throws -> UserRecord? {
    try await attempting(attempt) { standing in
      try await authenticator.user(title: title, password: password) { [checks] work in
        try await checks.run(origin: attempt.knownClient ?? attempt.address, standing: standing, work)
      }
    }
  }

  /// The account that `body` finds, or nil when what was given is wrong, which counts; what failed otherwise does not.
  private func attempting(
    _ attempt: LoginAttempt, _ body: (PasswordStanding) async throws -> UserRecord?
  ) async throws -> UserRecord? {
    let standing = try throttle.withLock { throttle throws(HubRefusal) in
      try throttle.admit(attempt, now: .now)
      return throttle.standing(of: attempt, now: .now)
    }
    var isFailure = false
    defer {
      throttle.withLock { isFailure ? $0.noteFailure(of: attempt, now: .now) : $0.forgive(attempt, now: .now) }
    }
    let account = try await body(standing)
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
