import NIOHTTP1
public import SessionToken
public import Signalling
import SystemSupport

extension HubClient {
  // MARK: Presence

  /// Announces, updates or renews presence.
  ///
  /// Never repeated: the next heartbeat is newer. A hub that reports the account's title is sent none, since it takes
  /// no other, and that one may have changed since the login.
  public func updatePresence(_ update: PresenceUpdate) async throws(HubClientError) {
    var update = update
    if try await credentials.current().userTitle != nil { update.userTitle = nil }
    let report = report.withLock { $0 }
    update.report = report
    try await call(.PUT, "/v1/presence", update, repetition: .forbidden)
    self.report.withLock { if $0 == report { $0 = nil } }
  }

  /// Has the next heartbeat that reaches the hub take a report along.
  public func setReport(_ report: DeviceReport) { self.report.withLock { $0 = report } }

  /// Goes offline.
  public func withdrawPresence() async throws(HubClientError) {
    try await call(.DELETE, "/v1/presence", repetition: .forbidden)
  }

  /// Who is online, nearest to the published position first; at most 1,000.
  public func users(limit: Int) async throws(HubClientError) -> NearbyUsers {
    try await call(.GET, "/v1/users?limit=\(min(max(limit, 1), 1000))").decode()
  }

  /// The ids of accounts by their titles, at most ``AccountIDsRequest/maxTitles`` at once; of those that share a group
  /// with this device.
  public func accountIDs(titled titles: [String]) async throws(HubClientError) -> AccountIDs {
    try await call(.POST, "/v1/account-ids", AccountIDsRequest(titles: titles)).decode()
  }

  /// The public keys with which the hub signs its tokens.
  ///
  /// Asked once, without a token of this device's own: callers that need a key ask again.
  public func signingKeys() async throws(HubClientError) -> SigningKeySet {
    let answer = try await transport.send(.GET, "/.well-known/jwks.json", token: nil, json: nil)
    try answer.checkStatus()
    do {
      return try SigningKeySet(json: answer.body)
    } catch {
      throw .malformedAnswer("\(error)")
    }
  }

  /// The hub's certificate that a key is this device's own.
  ///
  /// - Parameter sign: makes the key's signature over what it is given.
  public func certifyKey(
    _ publicKey: [UInt8], sign: @Sendable ([UInt8]) throws -> [UInt8]
  ) async throws -> DeviceCertificateResponse {
    let userID = try await credentials.current().userID
    let possession = try sign(DeviceCertificateRequest.possession(of: publicKey, userID: userID))
    let request = DeviceCertificateRequest(
      publicKey: Base64URL.encode(publicKey), possession: Base64URL.encode(possession))
    return try await call(.POST, "/v1/device-certificate", request).decode()
  }

  /// Has the hub notify its webhooks of an event. Asked once: the caller retries.
  public func report(_ event: DetectedEvent) async throws(HubClientError) {
    try await call(.POST, "/v1/device-events", event, repetition: .forbidden)
  }

  /// Has the hub send an event to people's browsers. Asked once: the caller retries.
  public func push(_ request: EventPushRequest) async throws(HubClientError) -> EventPushGrant {
    try await call(.POST, "/v1/device-events/push", request, repetition: .forbidden).decode()
  }

  // MARK: Sessions

  /// Places a call under an id of this device's own making, a UUID; repeating it is harmless.
  public func place(_ request: SessionRequest, sessionID: SessionID) async throws(HubClientError) -> SessionGrant {
    try await call(.PUT, Self.path(sessionID), request).decode()
  }

  /// Reports a change of a session to the hub; that the hub has forgotten one that is being ended is a success.
  public func send(_ message: SessionMessage, sessionID: SessionID) async throws(HubClientError) {
    let verb = message.verb
    let path = Self.path(sessionID) + (verb.path.map { "/" + $0 } ?? "")
    do {
      try await call(verb == .end ? .DELETE : .POST, path, message.body, repetition: message.repetition)
    } catch {
      guard verb == .end, error.isForgotten else { throw error }
    }
  }

  private static func path(_ sessionID: SessionID) -> String { "/v1/sessions/\(sessionID)" }
}

extension SessionMessage {
  fileprivate var body: (any Encodable & Sendable)? {
    switch self {
    case .ringing: nil
    case .answer(let body), .offer(let body): body
    case .reject(let body): body
    case .candidates(let body): body
    case .signal(let body): body
    case .control(let body): body
    case .controlResult(let body): body
    case .archive(let body): body
    case .end(let body): body
    }
  }

  /// An offer that comes late has been taken back by then, and of a repeated signal the other party would see two.
  fileprivate var repetition: HubClient.Repetition {
    switch self {
    case .offer, .signal: .forbidden
    case .ringing, .answer, .reject, .candidates, .control, .controlResult, .archive, .end: .harmless
    }
  }
}
