internal import DequeModule
internal import Signalling

/// One event in a user's log.
struct EventEntry {
  /// Its place among all events of all users.
  var sequence: UInt64
  var name: EventName
  /// JSON without line feeds.
  var data: String
  /// Whom it is about, when only the newest event about each counts; nil: it must arrive.
  var subject: String?
  var loggedAt: Instant
}

/// Entries in the order of their sequence, and how many bytes they hold. A full queue takes another entry, and drops its
/// oldest, at the same cost whatever it holds.
struct EventQueue {
  private var entries = Deque<EventEntry>()
  private(set) var byteCount = 0

  var isEmpty: Bool { entries.isEmpty }

  mutating func append(_ entry: EventEntry) {
    entries.append(entry)
    byteCount += entry.data.utf8.count
  }

  /// What follows `sequence`.
  func entries(after sequence: UInt64) -> [EventEntry] {
    Array(entries[index(after: sequence)...])
  }

  mutating func remove(sequence: UInt64) {
    guard sequence > 0 else { return }
    let index = index(after: sequence - 1)
    guard index < entries.count, entries[index].sequence == sequence else { return }
    byteCount -= entries.remove(at: index).data.utf8.count
  }

  /// Drops from the front what goes beyond the limits; returns what was dropped.
  mutating func bound(count: Int, bytes: Int) -> [EventEntry] {
    var dropped: [EventEntry] = []
    while entries.count > count || byteCount > bytes, let first = popFirst() { dropped.append(first) }
    return dropped
  }

  /// Drops what was logged before `oldest`; returns what was dropped.
  mutating func drop(olderThan oldest: Instant) -> [EventEntry] {
    var dropped: [EventEntry] = []
    while let next = entries.first?.loggedAt, next < oldest, let first = popFirst() { dropped.append(first) }
    return dropped
  }

  private mutating func popFirst() -> EventEntry? {
    let first = entries.popFirst()
    byteCount -= first?.data.utf8.count ?? 0
    return first
  }

  /// Binary search, since a reader polls after each wake-up.
  private func index(after sequence: UInt64) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].sequence > sequence { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
