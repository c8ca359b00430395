/// Events of which only the newest about each subject counts: a later one takes the place of the earlier.
///
/// Bounded apart from other events, so that no number of these pushes out one that must arrive. Beyond the bounds the
/// oldest are dropped silently: a client that follows presence asks for the list as well.
struct LatestEvents {
  private var queue = EventQueue()
  /// Where the newest event about each subject is.
  private var sequences: [String: UInt64] = [:]

  var isEmpty: Bool { queue.isEmpty }

  func entries(after sequence: UInt64) -> [EventEntry] { queue.entries(after: sequence) }

  mutating func replace(_ subject: String, with entry: EventEntry, limits: HubLimits) {
    if let earlier = sequences.updateValue(entry.sequence, forKey: subject) { queue.remove(sequence: earlier) }
    queue.append(entry)
    forget(queue.bound(count: limits.presenceEventsPerUser, bytes: limits.presenceEventBytesPerUser))
  }

  mutating func trim(olderThan oldest: Instant) {
    forget(queue.drop(olderThan: oldest))
  }

  private mutating func forget(_ dropped: [EventEntry]) {
    for case let subject? in dropped.lazy.map(\.subject) { sequences[subject] = nil }
  }
}
