import MediaCore

/// When calls came in lately, by caller, for rules that limit them; bounded.
struct CallHistory: Sendable {
  private static let capacity = 1024

  private var calls: [(callerID: String, at: MonotonicInstant)] = []

  /// How long ago the caller's earlier calls came in.
  func ages(callerID: String, now: MonotonicInstant) -> [Duration] {
    calls.filter { $0.callerID == callerID }.map { .nanoseconds((now - $0.at).nanoseconds) }
  }

  /// Notes a call and forgets those that no rule covers any more.
  mutating func note(callerID: String, now: MonotonicInstant, memory: Duration) {
    calls.removeAll { .nanoseconds((now - $0.at).nanoseconds) > memory }
    guard memory > .zero else { return }
    if calls.count == Self.capacity { calls.removeFirst() }
    calls.append((callerID, now))
  }
}
