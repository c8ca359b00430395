import MediaCore
import SessionToken
import Signalling

/// The hub's keys as they were asked for last, when to ask again, and the events that wait for the answer.
///
/// Keys are asked for when the event stream opens, since a hub takes new keys into use only when it starts, and for the
/// sake of a key that is not known.
struct SigningKeyCache: Sendable {
  /// For unknown keys the hub is asked at most this often.
  static let interval = TimeSpan.seconds(10)
  static let capacity = 64

  private(set) var keys = SigningKeySet()
  private(set) var isFetching = false
  private var fetchedAt: MonotonicInstant?
  private var held: [HubEvent] = []

  /// The event stream opened: the hub may be another than before.
  mutating func expire() { fetchedAt = nil }

  /// Whether the hub is to be asked now; ``finishFetch(_:)`` must follow then.
  mutating func beginFetch(now: MonotonicInstant) -> Bool {
    if isFetching { return false }
    if let fetchedAt, now - fetchedAt < Self.interval { return false }
    fetchedAt = now
    isFetching = true
    return true
  }

  /// The hub has answered, with nil if it has not: then the known keys still hold, and a caller that needs another one
  /// may ask again at once.
  mutating func finishFetch(_ fresh: SigningKeySet?) {
    isFetching = false
    guard let fresh else { return fetchedAt = nil }
    keys = fresh
  }

  // MARK: Events that wait

  /// Whether an event of the session waits, so that later ones have to wait behind it.
  func holdsEvents(of sessionID: SessionID) -> Bool { held.contains { $0.sessionID == sessionID } }

  /// Returns false, and drops the event, where too many wait.
  mutating func hold(_ event: HubEvent) -> Bool {
    guard held.count < Self.capacity else { return false }
    held.append(event)
    return true
  }

  /// The first of those that wait, once the hub has answered.
  mutating func popHeld() -> HubEvent? { isFetching || held.isEmpty ? nil : held.removeFirst() }
}
