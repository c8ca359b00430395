public import Signalling

/// An event as it goes over the wire.
public struct LoggedEvent: Sendable, Equatable {
  public var id: String
  public var name: EventName
  /// JSON without line feeds.
  public var data: String
}

/// The recent events of one user and the streams that read them.
///
/// The log is every stream's queue: a stream is a cursor into it, and one that falls behind the log's beginning has
/// overrun and must be closed.
struct UserEventLog {
  struct Entry {
    var sequence: UInt64
    var name: EventName
    var data: String
    var loggedAt: Instant
  }

  /// The open streams by name, each with the sessions that its client last said it holds (nil: has not said yet).
  private var heldSessions: [String: Set<String>?] = [:]
  /// When the last stream closed; nil while one is open.
  private(set) var unreachableSince: Instant?
  var principal: Principal
  private var entries: [Entry] = []
  private var byteCount = 0
  /// All events up to this one are gone (or were before this log).
  private var floor: UInt64

  init(principal: Principal, floor: UInt64, now: Instant) {
    self.principal = principal
    self.floor = floor
    unreachableSince = now
  }

  var streams: Dictionary<String, Set<String>?>.Keys { heldSessions.keys }

  var isEmpty: Bool { entries.isEmpty }

  var isOpen: Bool { !heldSessions.isEmpty }

  func holdsEverything(after sequence: UInt64) -> Bool { sequence >= floor }

  mutating func open(_ streamID: String) {
    heldSessions[streamID] = .some(nil)
    unreachableSince = nil
  }

  mutating func close(_ streamID: String, now: Instant) {
    guard heldSessions.removeValue(forKey: streamID) != nil, !isOpen else { return }
    unreachableSince = now
  }

  /// Notes what one client holds; returns what all clients of the user hold, once each has said it.
  mutating func note(heldSessions held: Set<String>, by streamID: String) -> Set<String>? {
    heldSessions[streamID] = held
    var all: Set<String> = []
    for held in heldSessions.values {
      guard let held else { return nil }
      all.formUnion(held)
    }
    return all
  }

  mutating func append(_ entry: Entry, limits: HubLimits) {
    entries.append(entry)
    byteCount += entry.data.utf8.count
    let surplus = entries.count - limits.eventsPerUser
    drop { index, bytes in index < surplus || bytes > limits.eventBytesPerUser }
  }

  mutating func trim(olderThan oldest: Instant) {
    let old = entries.prefix { $0.loggedAt < oldest }.count
    drop { index, _ in index < old }
  }

  /// Nil when events after `sequence` are no longer there.
  func events(after sequence: UInt64) -> ArraySlice<Entry>? {
    guard holdsEverything(after: sequence) else { return nil }
    let start = entries.firstIndex { $0.sequence > sequence } ?? entries.endIndex
    return entries[start...]
  }

  /// Drops from the front while `isSurplus` says so of an entry's index and the bytes still held.
  private mutating func drop(while isSurplus: (Int, Int) -> Bool) {
    var count = 0
    while count < entries.count, isSurplus(count, byteCount) {
      byteCount -= entries[count].data.utf8.count
      floor = entries[count].sequence
      count += 1
    }
    entries.removeFirst(count)
  }
}
