public import HubClient
public import SessionToken
public import Signalling

/// What the engine needs of the hub; ``HubClient/HubClient`` in the daemon, a script in tests.
///
/// Every request ends within a bounded time.
public protocol SignallingHub: Sendable {
  /// Who this device is; `nil` before the first login.
  var userID: String? { get async }
  /// The title under which others see this device; `nil` before the first login.
  var userTitle: String? { get async }
  /// Why there is no event stream, or last was none; `nil` if there was no failure yet.
  var lastOutage: HubOutage? { get }
  /// Delivers events until the task is cancelled.
  func run(_ deliver: (HubStreamEvent) async -> Void) async

  func updatePresence(_ update: PresenceUpdate) async throws(HubClientError)
  func withdrawPresence() async throws(HubClientError)
  func users(limit: Int) async throws(HubClientError) -> NearbyUsers
  /// The ids of accounts, which need not be online, by their titles.
  func accountIDs(titled titles: [String]) async throws(HubClientError) -> AccountIDs

  func signingKeys() async throws(HubClientError) -> SigningKeySet

  func place(_ request: SessionRequest, sessionID: SessionID) async throws(HubClientError) -> SessionGrant
  /// Reports a change of a session to the hub.
  func send(_ message: SessionMessage, sessionID: SessionID) async throws(HubClientError)
}

extension SignallingHub {
  /// Why no events come, as text for people; `nil` while they do, and before the first attempt.
  var outage: String? { lastOutage.flatMap { $0.ended == nil && !$0.isBypassed ? $0.text : nil } }
}

extension HubClient: SignallingHub {}
