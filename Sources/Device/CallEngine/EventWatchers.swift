/// Those who watch the engine; each has a bounded buffer and loses the oldest events when it does not read. What comes
/// from outside has bounds of its own (``Signalling/MessageLimits``), and watchers share it.
struct EventWatchers: Sendable {
  private static let bufferSize = 256

  private var continuations: [Int: AsyncStream<EngineEvent>.Continuation] = [:]
  private var nextID = 0

  /// A new watcher; `onEnd` is called with its number when it has gone.
  mutating func add(onEnd: @escaping @Sendable (Int) -> Void) -> AsyncStream<EngineEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: EngineEvent.self, bufferingPolicy: .bufferingNewest(Self.bufferSize))
    let id = nextID
    nextID += 1
    continuations[id] = continuation
    continuation.onTermination = { _ in onEnd(id) }
    return stream
  }

  mutating func remove(_ id: Int) { continuations[id] = nil }

  func tell(_ event: EngineEvent) {
    for continuation in continuations.values { continuation.yield(event) }
  }

  mutating func finish() {
    for continuation in continuations.values { continuation.finish() }
    continuations = [:]
  }
}
