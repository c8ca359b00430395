import FoundationEssentials
import NIOHTTP1
import Signalling

/// Logs in, keeps the token, renews it before it expires. Many callers share one login.
actor Credentials {
  private let transport: HubTransport
  private var token: AccessToken?
  private var login: Task<AccessToken, any Error>?
  private let clock = ContinuousClock()

  init(transport: HubTransport) { self.transport = transport }

  /// The user id of the last login.
  var userID: String? { token?.userID }

  /// A token that is good for now, after a login if need be.
  func current() async throws(HubClientError) -> AccessToken {
    if let token, clock.now < token.renewAfter { return token }
    return try await renew()
  }

  /// A token other than the one that the hub has just refused.
  func replacement(for refused: AccessToken) async throws(HubClientError) -> AccessToken {
    if let token, token.text != refused.text { return token }
    return try await renew()
  }

  private func renew() async throws(HubClientError) -> AccessToken {
    let task = login ?? Task { try await self.logIn() }
    login = task
    defer { login = nil }
    switch await task.result {
    case .success(let fresh):
      token = fresh
      return fresh
    case .failure(let error):
      throw error as? HubClientError ?? .unreachable(String(describing: error))
    }
  }

  private func logIn() async throws -> AccessToken {
    let configuration = transport.configuration
    let request = LoginRequest(userTitle: configuration.title, enrolmentKey: configuration.enrolmentKey?.secret)
    let body = try JSONEncoder().encode(request)
    let answer = try await transport.send(.POST, "/v1/login", token: nil, json: Array(body))
    try answer.checkStatus()
    return AccessToken(try answer.decode(LoginResponse.self), now: clock.now)
  }
}
