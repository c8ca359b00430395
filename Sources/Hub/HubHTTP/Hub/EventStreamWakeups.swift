internal import Synchronization

/// Wakes the writers of open event streams; what they write they read from the log themselves.
final class EventStreamWakeups: Sendable {
  private let continuations = Mutex<[String: AsyncStream<Void>.Continuation]>([:])

  /// Wake-ups for one stream; several before the writer looks count as one.
  func register(_ streamID: String) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuations.withLock { $0[streamID] = continuation }
    return stream
  }

  func unregister(_ streamID: String) {
    continuations.withLock { $0.removeValue(forKey: streamID) }?.finish()
  }

  func wake(_ streamIDs: Set<String>) {
    let woken = continuations.withLock { all in streamIDs.compactMap { all[$0] } }
    for continuation in woken { continuation.yield() }
  }

  /// A stream that wakes to nothing new writes a comment, which keeps the connection alive.
  func wakeAll() {
    for continuation in continuations.withLock({ Array($0.values) }) { continuation.yield() }
  }
}
