import HubClient
import Logging
import MediaCore
import SessionToken
import Signalling
import TransportCrypto
internal import JournalLogging

/// Knows the other party of a call by the session token that the hub signed for it.
///
/// An event whose token is signed with a key that is not known is held back, with what follows in its session, while the
/// hub is asked for its keys.
struct PartyVerifier: Sendable {
  private let verifier: any SignatureVerifying
  private var cache = SigningKeyCache()

  init(_ verifier: any SignatureVerifying) { self.verifier = verifier }

  /// The role that the hub's signature gives to `userID` in a session.
  ///
  /// - Parameter time: seconds since 1970; nil where the clock is not synchronised, which says nothing about `iat` and
  ///   `exp`; see ``SessionToken/SessionTokenClaims/role(of:in:at:)``.
  func role(
    of userID: String, in sessionID: SessionID, by text: String?, at time: Int64?
  ) throws(UnverifiedParty) -> SessionRole {
    guard let text else { throw .noToken }
    do throws(SessionTokenError) {
      let token = try SessionToken(text)
      if let key = cache.keys[token.keyID] {
        return try token.verify(with: key, verifier).role(of: userID, in: sessionID.text, at: time)
      }
    } catch {
      throw .badToken(error)
    }
    throw .unknownKey
  }

  /// The same at the present time; nil, and a line in the log, where there is no token or none that can be believed.
  func role(
    of userID: String, in sessionID: SessionID, by token: String?, _ environment: EngineEnvironment
  ) -> SessionRole? {
    do {
      let time = environment.isClockSynchronized() ? environment.wallClock() : nil
      return try role(of: userID, in: sessionID, by: token, at: time)
    } catch {
      environment.logger.warning("call \(session: sessionID) with \(userID) is refused: \(error)")
      return nil
    }
  }

  /// The request without its requester, and a line in the log, unless the hub's signature names this one for this request.
  func verified(_ request: RequestEvent, _ environment: EngineEnvironment) -> RequestEvent {
    guard let requester = request.requester else { return request }
    do {
      let time = environment.isClockSynchronized() ? environment.wallClock() : nil
      guard let id = SessionID(request.uploadID) else { throw UnverifiedParty.badToken(.otherSession) }
      _ = try role(of: requester.userID, in: id, by: requester.token, at: time)
      return request
    } catch {
      environment.logger.warning("a request of \(requester.userID) is refused: \(error)")
      var unsigned = request
      unsigned.requester = nil
      return unsigned
    }
  }

  // MARK: Keys

  /// The event stream opened: the hub may be another than before.
  mutating func expireKeys() { cache.expire() }

  /// Whether the hub is to be asked for its keys now; ``finishFetch(_:)`` must follow then.
  mutating func beginFetch(now: MonotonicInstant) -> Bool { cache.beginFetch(now: now) }

  /// Asks the hub; nil, and a line in the log, where that fails.
  static func requestKeys(_ environment: EngineEnvironment) async -> SigningKeySet? {
    do {
      return try await environment.hub.signingKeys()
    } catch {
      // When the engine stops it gives up asking.
      if !Task.isCancelled {
        environment.logger.warning("the hub's keys, by which callers are verified, cannot be fetched: \(error)")
      }
      return nil
    }
  }

  /// The hub's answer; nil if there was none.
  mutating func finishFetch(_ keys: SigningKeySet?) { cache.finishFetch(keys) }

  // MARK: Events that wait

  /// The result for an event.
  enum Intake {
    /// It can be judged now.
    case ready
    case held
    /// Too many wait already.
    case dropped
  }

  /// Whether the hub has to be asked for its keys because of an event, before ``take(_:)``.
  func needsKeys(for event: HubEvent) -> Bool { !isBehind(event) && lacksKey(event) }

  /// Takes an event in turn; one that lacks its key is ready all the same when the keys are not being asked for.
  mutating func take(_ event: HubEvent) -> Intake {
    guard isBehind(event) || (cache.isFetching && lacksKey(event)) else { return .ready }
    return cache.hold(event) ? .held : .dropped
  }

  /// Whether an earlier event of its session waits.
  private func isBehind(_ event: HubEvent) -> Bool { event.sessionID.map { cache.holdsEvents(of: $0) } ?? false }

  private func lacksKey(_ event: HubEvent) -> Bool {
    let text: String? =
      switch event {
      case .callIncoming(let call): call.callerToken
      case .callAnswered(let answer): answer.token
      case .callRinging(let ringing): ringing.token
      case .request(let request): request.requester?.token
      case .hello, .callRejected, .callCandidates, .callOffer, .callEnded, .callTaken, .signal, .control,
        .controlResult, .presence, .archiveStarted, .archiveStopped, .callHistory:
        nil
      }
    guard let text, let token = try? SessionToken(text) else { return false }
    return cache.keys[token.keyID] == nil
  }

  /// The first of those that wait, once the hub has answered.
  mutating func popHeld() -> HubEvent? { cache.popHeld() }
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
