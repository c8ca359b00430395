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

/// Entries in the order of their sequence, and how many bytes they hold.
struct EventQueue {
  private(set) var entries: [EventEntry] = []
  private(set) var byteCount = 0

  mutating func append(_ entry: EventEntry) {
    entries.append(entry)
    byteCount += entry.data.utf8.count
  }

  /// What follows `sequence`.
  func entries(after sequence: UInt64) -> ArraySlice<EventEntry> {
    entries[index(after: sequence)...]
  }

  mutating func remove(sequence: UInt64) {
    guard sequence > 0 else { return }
    let index = index(after: sequence - 1)
    guard index < entries.count, entries[index].sequence == sequence else { return }
    byteCount -= entries.remove(at: index).data.utf8.count
  }

  /// Drops from the front what goes beyond the limits; returns what was dropped.
  mutating func bound(count: Int, bytes: Int) -> ArraySlice<EventEntry> {
    var surplus = 0
    var remaining = byteCount
    while surplus < entries.count, entries.count - surplus > count || remaining > bytes {
      remaining -= entries[surplus].data.utf8.count
      surplus += 1
    }
    return dropFirst(surplus)
  }

  /// Drops what was logged before `oldest`; returns what was dropped.
  mutating func drop(olderThan oldest: Instant) -> ArraySlice<EventEntry> {
    dropFirst(entries.prefix { $0.loggedAt < oldest }.count)
  }

  private mutating func dropFirst(_ count: Int) -> ArraySlice<EventEntry> {
    guard count > 0 else { return [] }
    let dropped = entries.prefix(count)
    entries.removeFirst(count)
    byteCount -= dropped.reduce(0) { $0 + $1.data.utf8.count }
    return dropped
  }

  /// Binary search, since a reader looks after each wake-up.
  private func index(after sequence: UInt64) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].sequence > sequence { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
