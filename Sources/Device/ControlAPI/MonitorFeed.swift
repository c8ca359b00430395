import ControlMessages
import SystemSupport

/// Hands each event to all monitors. A monitor whose queue is full is cut off, never waited for.
final class MonitorFeed: Sendable {
  /// One monitor's bounded queue.
  struct Subscription: Sendable {
    let events: AsyncStream<DeviceEvent>
    fileprivate let continuation: AsyncStream<DeviceEvent>.Continuation

    /// Ends ``events``.
    func cancel() { continuation.finish() }
  }

  private struct Monitor {
    var continuation: AsyncStream<DeviceEvent>.Continuation
    var onOverflow: @Sendable () -> Void
  }

  private struct State {
    var nextID = 0
    var monitors: [Int: Monitor] = [:]
  }

  private let state = Mutex(State())
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// The events from now on.
  ///
  /// - Parameter onOverflow: called once when an event finds the queue full; the subscription is over then.
  func subscribe(onOverflow: @escaping @Sendable () -> Void) -> Subscription {
    let (events, continuation) = AsyncStream.makeStream(
      of: DeviceEvent.self, bufferingPolicy: .bufferingOldest(capacity))
    let id = state.withLock { state in
      state.nextID += 1
      state.monitors[state.nextID] = Monitor(continuation: continuation, onOverflow: onOverflow)
      return state.nextID
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return Subscription(events: events, continuation: continuation)
  }

  func publish(_ event: DeviceEvent) {
    let monitors = state.withLock { $0.monitors.values }
    for monitor in monitors {
      guard case .dropped = monitor.continuation.yield(event) else { continue }
      monitor.continuation.finish()
      monitor.onOverflow()
    }
  }

  private func remove(_ id: Int) { _ = state.withLock { $0.monitors.removeValue(forKey: id) } }
}
