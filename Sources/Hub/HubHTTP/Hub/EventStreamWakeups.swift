internal import Locking

/// Wakes the writers of open event streams; what they write they read from the log themselves.
final class EventStreamWakeups: Sendable {
  private struct Listener {
    var continuation: AsyncStream<Void>.Continuation
    /// When the token under which the stream was opened ends, in seconds since 1970.
    var expiresAt: Int64
  }

  private let listeners = Mutex<[String: Listener]>([:])

  /// Wake-ups for one stream; several before the writer looks count as one.
  func register(_ streamID: String, until expiresAt: Int64) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    listeners.withLock { $0[streamID] = Listener(continuation: continuation, expiresAt: expiresAt) }
    return stream
  }

  func unregister(_ streamID: String) {
    listeners.withLock { $0.removeValue(forKey: streamID) }?.continuation.finish()
  }

  func wake(_ streamIDs: Set<String>) {
    let woken = listeners.withLock { all in streamIDs.compactMap { all[$0]?.continuation } }
    for continuation in woken { continuation.yield() }
  }

  /// Ends the streams whose tokens have run out; their writers still send what was logged until now.
  func endExpired(at time: Int64) {
    let ended = listeners.withLock { all in all.values.filter { $0.expiresAt <= time }.map(\.continuation) }
    for continuation in ended { continuation.finish() }
  }

  /// A stream that wakes to nothing new writes a comment, which keeps the connection alive.
  func wakeAll() {
    for listener in listeners.withLock({ Array($0.values) }) { listener.continuation.yield() }
  }
}
