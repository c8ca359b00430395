import FoundationEssentials
import HTTPConnections
import Logging
import NIOHTTP1
import Signalling

/// Logs in, keeps the token, renews it before it expires. Many callers share one login.
actor Credentials {
  private let transport: HubTransport
  private let logger: Logger
  private var token: AccessToken?
  private var login: Task<AccessToken, any Error>?
  private var isShutDown = false
  private let clock = ContinuousClock()

  init(transport: HubTransport, logger: Logger) {
    self.transport = transport
    self.logger = logger
  }

  /// The user id of the last login.
  var userID: String? { token?.userID }

  /// The title under which the hub shows the device, as of the last login.
  var userTitle: String? { token?.userTitle }

  /// A token that is good for now, after a login if need be.
  ///
  /// One that is due for renewal serves until its end while the hub cannot be reached or has too much to do.
  func current() async throws(HubClientError) -> AccessToken {
    guard let token else { return try await renew() }
    if clock.now < token.renewAfter { return token }
    do {
      return try await renew()
    } catch {
      guard error.isTransient, clock.now < token.endsAt else { throw error }
      return token
    }
  }

  /// A token other than the one that the hub has just refused.
  func replacement(for refused: AccessToken) async throws(HubClientError) -> AccessToken {
    if let token, token.text != refused.text { return token }
    return try await renew()
  }

  /// Breaks off a login that is under way and waits for its end; there is none after it.
  func shutdown() async {
    isShutDown = true
    login?.cancel()
    _ = await login?.result
  }

  private func renew() async throws(HubClientError) -> AccessToken {
    if isShutDown { throw .unreachable("the client has been shut down") }
    let task = login ?? Task { try await self.logIn() }
    login = task
    defer { login = nil }
    switch await task.result {
    case .success(let fresh):
      noteTitle(fresh.userTitle)
      token = fresh
      return fresh
    case .failure(let error):
      throw error as? HubClientError ?? .unreachable(ConnectionFailure.message(for: error))
    }
  }

  private func logIn() async throws -> AccessToken {
    let configuration = transport.configuration
    let key = configuration.readEnrolmentKey() ?? configuration.enrolmentKey
    let request = LoginRequest(userTitle: configuration.title, enrolmentKey: key?.secret)
    let body = try JSONEncoder().encode(request)
    let answer = try await transport.send(.POST, "/v1/login", token: nil, json: Array(body))
    try answer.checkStatus()
    return AccessToken(try answer.decode(LoginResponse.self), now: clock.now)
  }

  /// The account's title is the one that others see; a difference is logged when it is new.
  private func noteTitle(_ title: String?) {
    let own = transport.configuration.title
    guard let title, title != own, title != token?.userTitle else { return }
    logger.notice(
      """
      others see this device as "\(title)", since that is its title at the hub, not "\(own)"; to change it: \
      livesessions-hub rename --title "\(title)" --to "\(own)"
      """)
  }
}
