import SystemSupport
import MediaCore
import RealtimeRuntime

/// A value that one thread waits for and another gives.
final class Promise<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let arrival = try? EventDescriptor()

  /// Gives the value; a later one replaces it.
  func fulfil(_ value: Value) {
    self.value.withLock { $0 = value }
    arrival?.signal()
  }

  /// Blocks until the value is there; nil when that takes longer than `limit`.
  func wait(_ limit: TimeSpan) -> Value? {
    _ = arrival?.wait(timeout: max(.zero, limit))
    return value.withLock { $0 }
  }
}

extension Promise {
  /// Blocks until a task has ended. For threads that no task needs.
  static func value(of body: @escaping @Sendable () async -> Value, within limit: TimeSpan) -> Value? {
    let promise = Promise()
    Task { promise.fulfil(await body()) }
    return promise.wait(limit)
  }
}
