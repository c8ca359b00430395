/// A queue of actions that are carried out one after the other, bounded in number and in bytes.
struct ActionQueue<Action: QueuedAction>: Sendable {
  private static var capacity: Int { 64 }
  /// What waits at most, SDP and candidates above all: what the other side sends while media or hub are busy.
  private static var maximumBytes: Int { 128 << 10 }

  private var pending: [Action] = []
  private var byteCount = 0
  /// Whether somebody drains the queue.
  var isRunning = false
  /// Whether an action has been dropped before, so that it is logged once.
  var hasOverflowed = false

  var isIdle: Bool { pending.isEmpty && !isRunning }

  /// Queues an action; returns false if it was dropped because the queue is full.
  mutating func append(_ action: Action) -> Bool {
    if action.endsCall {
      pending.removeAll { !$0.isEssential }
      byteCount = pending.reduce(0) { $0 + $1.byteCount }
    }
    let isRoom = pending.count < Self.capacity && action.byteCount <= Self.maximumBytes - byteCount
    guard isRoom || action.isEssential else { return false }
    pending.append(action)
    byteCount += action.byteCount
    return true
  }

  mutating func popFirst() -> Action? {
    guard !pending.isEmpty else { return nil }
    let action = pending.removeFirst()
    byteCount -= action.byteCount
    return action
  }
}
