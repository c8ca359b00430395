import NIOHTTP1
public import SessionToken
public import Signalling

extension HubClient {
  // MARK: Presence

  /// Announces, updates or renews presence.
  ///
  /// Never repeated: the next heartbeat says it better. A hub that tells the account's title is told none, since it takes
  /// no other, and that one may have changed since the login.
  public func updatePresence(_ update: PresenceUpdate) async throws(HubClientError) {
    var update = update
    if try await credentials.current().userTitle != nil { update.userTitle = nil }
    try await call(.PUT, "/v1/presence", update, repetition: .forbidden)
  }

  /// Goes offline.
  public func withdrawPresence() async throws(HubClientError) {
    try await call(.DELETE, "/v1/presence", repetition: .forbidden)
  }

  /// Who is online, nearest to the published position first; at most 1,000.
  public func users(limit: Int) async throws(HubClientError) -> NearbyUsers {
    try await call(.GET, "/v1/users?limit=\(min(max(limit, 1), 1000))").decode()
  }

  /// The public keys with which the hub signs its tokens.
  ///
  /// Asked once, without a token of this device's own: whoever needs a key asks again.
  public func signingKeys() async throws(HubClientError) -> SigningKeySet {
    let answer = try await transport.send(.GET, "/.well-known/jwks.json", token: nil, json: nil)
    try answer.checkStatus()
    do {
      return try SigningKeySet(json: answer.body)
    } catch {
      throw .malformedAnswer("\(error)")
    }
  }

  // MARK: Sessions

  /// Places a call under an id of this device's own making, a UUID; repeating it is harmless.
  public func place(_ request: SessionRequest, sessionID: String) async throws(HubClientError) -> SessionGrant {
    try await call(.PUT, path(sessionID, ""), request).decode()
  }

  /// Tells the caller that the device rings.
  public func ring(_ sessionID: String) async throws(HubClientError) {
    try await call(.POST, path(sessionID, "/ringing"))
  }

  /// Answers a call, or an offer within one.
  public func answer(_ sessionID: String, _ answer: SessionDescription) async throws(HubClientError) {
    try await call(.POST, path(sessionID, "/answer"), answer)
  }

  /// Sends an offer within a call, such as an ICE restart's; never repeated, since one that comes late is taken back by
  /// then.
  public func offer(_ sessionID: String, sdp: String) async throws(HubClientError) {
    try await call(.POST, path(sessionID, "/offer"), SessionDescription(sdp: sdp), repetition: .forbidden)
  }

  /// Rejects a call.
  public func reject(_ sessionID: String, reason: String) async throws(HubClientError) {
    try await call(.POST, path(sessionID, "/reject"), SessionEnding(reason: reason))
  }

  /// Sends candidates found after the answer.
  public func sendCandidates(_ candidates: SessionCandidates, sessionID: String) async throws(HubClientError) {
    try await call(.POST, path(sessionID, "/candidates"), candidates)
  }

  /// Sends a signal to the other party; never repeated, since the other would see it twice.
  public func sendSignal(_ signal: SessionSignal, sessionID: String) async throws(HubClientError) {
    try await call(.POST, path(sessionID, "/signal"), signal, repetition: .forbidden)
  }

  /// Tells the other party what became of its ``SessionControl``.
  public func sendControlResult(_ result: SessionControlResult, sessionID: String) async throws(HubClientError) {
    try await call(.POST, path(sessionID, "/control/result"), result)
  }

  /// Ends a session; that the hub has forgotten it already is a success.
  public func endSession(_ sessionID: String, reason: String) async throws(HubClientError) {
    do {
      try await call(.DELETE, path(sessionID, ""), SessionEnding(reason: reason))
    } catch {
      guard error.isForgotten else { throw error }
    }
  }

  /// Announces that an archive started or stopped.
  public func announceArchive(_ event: ArchiveEvent) async throws(HubClientError) {
    try await call(.POST, path(event.sessionID, "/archive"), event)
  }

  private func path(_ sessionID: String, _ suffix: String) throws(HubClientError) -> String {
    guard Identifier.isValid(sessionID) else { throw .invalidIdentifier }
    return "/v1/sessions/\(sessionID)\(suffix)"
  }
}
