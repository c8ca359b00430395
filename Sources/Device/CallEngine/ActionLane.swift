/// A bounded queue of actions that are carried out one after the other.
struct ActionLane: Sendable {
  static let capacity = 64

  private var pending: [CallAction] = []
  /// Whether somebody works the queue off.
  var isRunning = false
  /// Whether an action has been dropped before, so that it is logged once.
  var hasOverflowed = false

  var isIdle: Bool { pending.isEmpty && !isRunning }

  /// Queues an action; returns false if it was dropped because the queue is full.
  mutating func append(_ action: CallAction) -> Bool {
    if action.endsCall { pending.removeAll { !$0.isEssential } }
    guard pending.count < Self.capacity || action.isEssential else { return false }
    pending.append(action)
    return true
  }

  mutating func popFirst() -> CallAction? { pending.isEmpty ? nil : pending.removeFirst() }
}
