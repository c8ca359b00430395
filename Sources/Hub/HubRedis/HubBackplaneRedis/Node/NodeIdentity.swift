internal import HubCore
internal import SystemSupport

/// Under which name this node is known: a new one after others have taken it for dead, so that what they cleared away and
/// what it holds now are never taken for the same.
final class NodeIdentity: Sendable {
  private struct State {
    var name: String
    var isAnnounced = false
    var beatAt: Instant?
    /// Since when signs of life have followed each other without a gap.
    var steadySince: Instant?
    /// Names one life of Redis's contents; nil before it was read.
    var epoch: String?
  }

  /// Between two signs of life, one a second.
  private static let longestPause: Duration = .seconds(4)
  private let prefix: String
  private let state: Mutex<State>

  /// - Parameter prefix: what operators call the node.
  init(prefix: String) {
    self.prefix = prefix
    state = Mutex(State(name: Self.makeName(prefix)))
  }

  var name: String { state.withLock { $0.name } }
  var isAnnounced: Bool { state.withLock { $0.isAnnounced } }
  var epoch: String? { state.withLock { $0.epoch } }

  /// The same, of a node that has reached Redis. One that has not does not know Redis's time either: what it stored would
  /// seem to be long over.
  var knownEpoch: String {
    get throws(HubRefusal) {
      guard let epoch else { throw RedisLink.unreachable }
      return epoch
    }
  }

  /// A sign of life has reached Redis.
  func noteBeat(now: Instant) {
    state.withLock { state in
      let hasGap = state.beatAt.map { $0.duration(to: now) > Self.longestPause } ?? true
      if hasGap { state.steadySince = now }
      state.beatAt = now
      state.isAnnounced = true
    }
  }

  /// Whether heartbeats have reached Redis for this long without a gap.
  func isSteady(now: Instant, for duration: Duration) -> Bool {
    state.withLock { $0.steadySince.map { $0.duration(to: now) >= duration } ?? false }
  }

  /// Begins a life under another name.
  func renew() {
    state.withLock { state in
      state.name = Self.makeName(prefix)
      state.isAnnounced = false
    }
  }

  /// Returns whether Redis's contents are others than those that were known.
  func note(epoch: String) -> Bool {
    state.withLock { state in
      defer { state.epoch = epoch }
      return state.epoch.map { $0 != epoch } ?? false
    }
  }

  private static func makeName(_ prefix: String) -> String {
    prefix + "-" + String(UInt64.random(in: .min ... .max), radix: 36)
  }
}
