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
/// The log is every stream's queue: a stream is a cursor into it. Events that must arrive lie in order, and a stream
/// that falls behind their beginning has overrun and must be closed. Of presence each user's newest alone is kept,
/// apart, so it can neither overrun a stream nor push out a call.
struct UserEventLog {
  /// The open streams by name, each with the sessions that its client last said it holds (nil: has not said yet).
  private var heldSessions: [String: Set<String>?] = [:]
  /// When the last stream closed; nil while one is open.
  private(set) var unreachableSince: Instant?
  var principal: Principal
  private var ordered = EventQueue()
  private var latest = LatestEvents()
  /// All ordered events up to this one are gone (or were before this log).
  private(set) var floor: UInt64

  init(principal: Principal, floor: UInt64, now: Instant) {
    self.principal = principal
    self.floor = floor
    unreachableSince = now
  }

  var streams: Dictionary<String, Set<String>?>.Keys { heldSessions.keys }

  var isEmpty: Bool { ordered.entries.isEmpty && latest.isEmpty }

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

  mutating func append(_ entry: EventEntry, limits: HubLimits) {
    if let subject = entry.subject {
      latest.replace(subject, with: entry, limits: limits)
    } else {
      ordered.append(entry)
      raiseFloor(ordered.bound(count: limits.eventsPerUser, bytes: limits.eventBytesPerUser))
    }
  }

  mutating func trim(olderThan oldest: Instant) {
    raiseFloor(ordered.drop(olderThan: oldest))
    latest.trim(olderThan: oldest)
  }

  /// Both kinds in the order of their sequence; nil when events after `sequence` that had to arrive are gone.
  func events(after sequence: UInt64) -> ArraySlice<EventEntry>? {
    guard holdsEverything(after: sequence) else { return nil }
    let (events, news) = (ordered.entries(after: sequence), latest.entries(after: sequence))
    if news.isEmpty { return events }
    return events.isEmpty ? news : (events + news).sorted { $0.sequence < $1.sequence }[...]
  }

  private mutating func raiseFloor(_ dropped: ArraySlice<EventEntry>) {
    if let last = dropped.last { floor = last.sequence }
  }
}
