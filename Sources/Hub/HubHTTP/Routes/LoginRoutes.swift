internal import Dispatch
internal import Foundation
internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// `POST /v1/login`.
struct LoginRoutes {
  let hub: Hub
  let store: any HubStore
  let authenticator: Authenticator
  let tokens: TokenAuthority
  let allowsAnonymous: Bool
  /// Password hashing is slow by intent: one at a time, away from the threads that serve requests.
  private let passwordQueue = DispatchQueue(label: "password hashing")

  init(hub: Hub, store: any HubStore, authenticator: Authenticator, tokens: TokenAuthority, allowsAnonymous: Bool) {
    self.hub = hub
    self.store = store
    self.authenticator = authenticator
    self.tokens = tokens
    self.allowsAnonymous = allowsAnonymous
  }

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/login") { request, context in
      let login = try await request.decode(LoginRequest.self)
      let keys = ["address \(context.remoteAddress)", "title \(UserRecord.titleKey(login.userTitle))"]
      try hub.mutate { state, now throws(HubRefusal) in try state.admitLogin(keys: keys, now: now) }
      let principal = try await authenticate(login)
      let (token, expiresAt) = try await tokens.accessToken(for: principal)
      return try Response.json(
        LoginResponse(
          userID: principal.userID, accessToken: token, expiresAt: expiresAt * 1_000, role: principal.role.rawValue))
    }
  }

  private func authenticate(_ login: LoginRequest) async throws -> Principal {
    guard login.userTitle.utf8.count <= 128 else { throw HubRefusal.badCredentials }
    switch (login.password, login.enrolmentKey) {
    case (let password?, nil):
      guard password.utf8.count <= 1_024 else { throw HubRefusal.badCredentials }
      return try await known(authenticator.user(title: login.userTitle, password: password, offload: hash))
    case (nil, let key?):
      return try await known(authenticator.device(title: login.userTitle, enrolmentKey: key))
    case (nil, nil):
      return try await anonymous(title: login.userTitle)
    case (_?, _?):
      throw HubRefusal.invalid(field: "password, enrolmentKey", reason: "give one of them, not both")
    }
  }

  private func known(_ record: UserRecord?) throws -> Principal {
    guard let record else { throw HubRefusal.badCredentials }
    return record.principal
  }

  private func anonymous(title: String) async throws -> Principal {
    guard allowsAnonymous else { throw HubRefusal.badCredentials }
    guard isValidTitle(title) else { throw HubRefusal.invalid(field: "userTitle", reason: "cannot be shown") }
    guard try await store.user(title: title) == nil else {
      throw HubRefusal.notAllowed("userTitle: belongs to an account, which needs its credential")
    }
    return Principal(
      userID: PrincipalCache.anonymousPrefix + UUID().uuidString.lowercased(), userTitle: title, role: .anonymous,
      kind: .person,
      groups: [Accounts.defaultGroup])
  }

  private func hash(_ work: @escaping @Sendable () throws -> Bool) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      passwordQueue.async { continuation.resume(with: Result { try work() }) }
    }
  }
}
