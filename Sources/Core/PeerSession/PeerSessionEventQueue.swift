/// The events that wait to be taken, oldest first.
///
/// Each kind of event waits once at most, but for what servers bring, whose number is bounded. So the queue is bounded.
/// The media's events wait elsewhere (``RTPSessionEvents``).
struct PeerSessionEventQueue {
  private var waiting: [PeerSessionEvent] = []

  init() { waiting.reserveCapacity(5) }

  mutating func append(_ event: PeerSessionEvent) {
    guard !waiting.contains(where: { Self.isSame($0, event) }) else { return }
    waiting.append(event)
  }

  mutating func popFirst() -> PeerSessionEvent? { waiting.isEmpty ? nil : waiting.removeFirst() }

  private static func isSame(_ first: PeerSessionEvent, _ second: PeerSessionEvent) -> Bool {
    switch (first, second) {
    case (.connected, .connected), (.restartNeeded, .restartNeeded), (.ended, .ended),
      (.pathMissing, .pathMissing):
      true
    default: false
    }
  }
}
