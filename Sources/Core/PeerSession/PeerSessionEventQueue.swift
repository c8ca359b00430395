/// The events that wait to be taken, oldest first.
///
/// Each kind of event waits once at most, but for what servers bring, whose number is bounded. So the queue is bounded
/// and no flood of one kind can hide another.
struct PeerSessionEventQueue {
  private var waiting: [PeerSessionEvent] = []

  init() { waiting.reserveCapacity(5) }

  mutating func append(_ event: PeerSessionEvent) {
    if let index = waiting.firstIndex(where: { Self.isSameKind($0, event) }) {
      // Only the last of several figures counts; for other events they are the same.
      waiting[index] = event
    } else {
      waiting.append(event)
    }
  }

  mutating func popFirst() -> PeerSessionEvent? { waiting.isEmpty ? nil : waiting.removeFirst() }

  private static func isSameKind(_ first: PeerSessionEvent, _ second: PeerSessionEvent) -> Bool {
    switch (first, second) {
    case (.connected, .connected), (.keyFrameRequested, .keyFrameRequested), (.bitrateEstimated, .bitrateEstimated),
      (.soundLossReported, .soundLossReported), (.restartNeeded, .restartNeeded), (.ended, .ended):
      true
    default: false
    }
  }
}
