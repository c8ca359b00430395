import MediaCore

/// What waits for the broker: bounded, in order, each message until the broker has acknowledged it.
///
/// Of what the next message of its topic replaces only the newest waits. Others are dropped when they are too old, or the
/// oldest first when there are too many.
struct Outbox {
  private struct Entry {
    var message: MQTTMessage
    var kind: MessageKind
    var since: MonotonicInstant
  }

  static let maxMessages = 512
  /// Payloads and topics.
  static let maxBytes = 2 << 20
  /// An older event would have others act on what is long over.
  static let longestWait = TimeSpan.seconds(300)

  private var waiting: [Entry] = []
  private var inFlight: [(id: Int32, entry: Entry)] = []
  private var bytes = 0
  /// Messages that were dropped since the start.
  private(set) var dropped = 0

  /// Messages that have been handed over and are not acknowledged.
  var inFlightCount: Int { inFlight.count }
  var waitingCount: Int { waiting.count }

  mutating func add(_ message: MQTTMessage, _ kind: MessageKind, now: MonotonicInstant) {
    let entry = Entry(message: message, kind: kind, since: now)
    guard Self.size(message) <= Self.maxBytes else {
      dropped += 1
      return
    }
    if kind == .state, let index = waiting.firstIndex(where: { $0.kind == .state && $0.message.topic == message.topic })
    {
      bytes += Self.size(message) - Self.size(waiting[index].message)
      waiting[index] = entry
    } else {
      waiting.append(entry)
      bytes += Self.size(message)
    }
    while waiting.count > Self.maxMessages || bytes > Self.maxBytes { dropOldest() }
  }

  /// The next message to hand over; nil for none.
  mutating func next(now: MonotonicInstant) -> MQTTMessage? {
    dropOld(now: now)
    return waiting.first?.message
  }

  /// What ``next(now:)`` returned has been handed over under an id.
  mutating func didSend(id: Int32) {
    guard !waiting.isEmpty else { return }
    inFlight.append((id, waiting.removeFirst()))
  }

  /// What ``next(now:)`` returned can never be handed over.
  mutating func discardNext() {
    guard !waiting.isEmpty else { return }
    bytes -= Self.size(waiting.removeFirst().message)
    dropped += 1
  }

  /// Returns its topic; nil for one that is not in flight.
  @discardableResult
  mutating func didAcknowledge(id: Int32) -> String? {
    guard let index = inFlight.firstIndex(where: { $0.id == id }) else { return nil }
    let message = inFlight.remove(at: index).entry.message
    bytes -= Self.size(message)
    return message.topic
  }

  /// The connection is gone: what it did not acknowledge waits again, before all others.
  mutating func requeue() {
    let newer = Set(waiting.filter { $0.kind == .state }.map(\.message.topic))
    let again = inFlight.map(\.entry).filter { entry in
      guard entry.kind == .state, newer.contains(entry.message.topic) else { return true }
      bytes -= Self.size(entry.message)
      return false
    }
    inFlight.removeAll()
    waiting.insert(contentsOf: again, at: 0)
  }

  private mutating func dropOld(now: MonotonicInstant) {
    while let first = waiting.first(where: { $0.kind == .event }), now - first.since > Self.longestWait {
      guard let index = waiting.firstIndex(where: { $0.kind == .event }) else { return }
      drop(at: index)
    }
  }

  private mutating func dropOldest() { drop(at: waiting.firstIndex { $0.kind == .event } ?? 0) }

  private mutating func drop(at index: Int) {
    bytes -= Self.size(waiting.remove(at: index).message)
    dropped += 1
  }

  private static func size(_ message: MQTTMessage) -> Int { message.topic.utf8.count + message.payload.count }
}
