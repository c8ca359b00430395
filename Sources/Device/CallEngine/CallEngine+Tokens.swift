import HubClient
import Logging
import SessionToken
import Signalling

/// How the other party of a call is known: by the session token that the hub signed for it.
extension CallEngine {
  /// Holds an event back whose token is signed with a key that is not known, while the hub is asked for it, and what
  /// follows in its session; returns false for all others.
  func waitsForKeys(_ event: HubEvent) -> Bool {
    let isBehind = event.sessionID.map { signingKeys.holdsEvents(of: $0) } ?? false
    guard isBehind || lacksKey(event) else { return false }
    if !isBehind {
      fetchKeys()
      guard signingKeys.isFetching else { return false }
    }
    if !signingKeys.hold(event) { logger.warning("too many events wait for the hub's keys; one was dropped") }
    return true
  }

  private func lacksKey(_ event: HubEvent) -> Bool {
    let text: String? =
      switch event {
      case .incomingCall(let call): call.callerToken
      case .callAnswered(let answer): answer.token
      default: nil
      }
    guard let text, let token = try? SessionToken(text) else { return false }
    return signingKeys.keys[token.keyID] == nil
  }

  /// Asks the hub for its keys, unless that is under way or was done just now.
  func fetchKeys() {
    guard !isStopped, signingKeys.beginFetch(now: environment.now()) else { return }
    keyFetch = Task {
      self.signingKeys.finishFetch(await self.requestKeys())
      while let event = self.signingKeys.popHeld() { await self.act(on: event) }
    }
  }

  private func requestKeys() async -> SigningKeySet? {
    do {
      return try await environment.hub.signingKeys()
    } catch {
      if !isStopped { logger.warning("the hub's keys, by which callers are verified, cannot be fetched: \(error)") }
      return nil
    }
  }

  /// The role that the hub's signature gives to the other party; nil, and a line in the log, where there is no token or
  /// none that can be believed.
  func verifiedRole(of userID: String, in sessionID: String, by token: String?) -> SessionRole? {
    do throws(UnverifiedParty) {
      guard let token else { throw .noToken }
      return try verify(token, userID, sessionID)
    } catch {
      logger.warning("call \(sessionID) with \(userID) is refused: \(error)")
      return nil
    }
  }

  /// A clock that is not synchronised says nothing about `iat` and `exp`; see ``SessionTokenClaims/role(of:in:at:)``.
  private func verify(
    _ text: String, _ userID: String, _ sessionID: String
  ) throws(UnverifiedParty) -> SessionRole {
    do throws(SessionTokenError) {
      let token = try SessionToken(text)
      if let key = signingKeys.keys[token.keyID] {
        let time = environment.isClockSynchronized() ? environment.wallClock() : nil
        return try token.verify(with: key, environment.verifier).role(of: userID, in: sessionID, at: time)
      }
    } catch {
      throw .badToken(error)
    }
    throw .unknownKey
  }
}

/// Why the other party of a call is not believed.
enum UnverifiedParty: Error, CustomStringConvertible {
  case noToken
  case unknownKey
  case badToken(SessionTokenError)

  var description: String {
    switch self {
    case .noToken:
      "the hub sent no session token of the other party; a hub that is older than the device has to be upgraded"
    case .unknownKey: "the other party's session token is signed with a key that the hub does not publish"
    case .badToken(let error): "the other party's session token \(error)"
    }
  }
}
