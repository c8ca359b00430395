internal import Locking

/// Under which name this node is known: a new one after others have taken it for dead, so that what they cleared away and
/// what it holds now are never taken for the same.
final class NodeIdentity: Sendable {
  private struct State {
    var name: String
    var isAnnounced = false
    /// Names one life of Redis's contents; nil before it was read.
    var epoch: String?
  }

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

  func noteAnnounced() { state.withLock { $0.isAnnounced = true } }

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
