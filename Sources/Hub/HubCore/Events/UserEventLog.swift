public import Signalling

/// An event as it goes over the wire.
public struct LoggedEvent: Sendable, Equatable {
  /// Nil for one after which no stream can resume.
  public let id: String?
  public let name: EventName
  /// JSON without line feeds.
  public let data: String

  public init(id: String?, name: EventName, data: String) {
    self.id = id
    self.name = name
    self.data = data
  }
}

/// The recent events of one user and the streams that read them.
///
/// The log is every stream's queue: a stream is a cursor into it. Events that must arrive lie in order, and a stream
/// that falls behind their beginning has overrun and must be closed. Of presence each user's newest alone is kept,
/// apart, so it can neither overrun a stream nor push out a call.
struct UserEventLog {
  /// What the client of each open stream last reported of itself.
  private var clients: [String: Client] = [:]
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

  /// One of a user's programs, with an event stream of its own.
  private struct Client {
    /// Nil until it has said which.
    var heldSessions: Set<SessionID>?
    var status: PresenceStatus?
  }

  var streams: some Collection<String> { clients.keys }

  var isEmpty: Bool { ordered.isEmpty && latest.isEmpty }

  var isOpen: Bool { !clients.isEmpty }

  func holdsEverything(after sequence: UInt64) -> Bool { sequence >= floor }

  mutating func open(_ streamID: String) {
    clients[streamID] = Client()
    unreachableSince = nil
  }

  mutating func close(_ streamID: String, now: Instant) {
    guard clients.removeValue(forKey: streamID) != nil, !isOpen else { return }
    unreachableSince = now
  }

  /// Notes what one client holds; returns what all clients of the user hold, once each has said it.
  mutating func note(heldSessions held: Set<SessionID>, by streamID: String) -> Set<SessionID>? {
    clients[streamID]?.heldSessions = held
    var all: Set<SessionID> = []
    for client in clients.values {
      guard let held = client.heldSessions else { return nil }
      all.formUnion(held)
    }
    return all
  }

  /// Notes what one client reports, nil for one that leaves; returns what holds for the user with all clients.
  ///
  /// Not to be disturbed is a wish of the person, so one client sets it for all; busy is a client, and the person is
  /// available while another is.
  mutating func note(_ status: PresenceStatus?, by streamID: String) -> PresenceStatus? {
    clients[streamID]?.status = status
    let all = clients.values.compactMap(\.status)
    return [.doNotDisturb, .available, .busy].first { all.contains($0) }
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
  func events(after sequence: UInt64) -> [EventEntry]? {
    guard holdsEverything(after: sequence) else { return nil }
    let (events, news) = (ordered.entries(after: sequence), latest.entries(after: sequence))
    if news.isEmpty { return events }
    return events.isEmpty ? news : (events + news).sorted { $0.sequence < $1.sequence }
  }

  private mutating func raiseFloor(_ dropped: [EventEntry]) {
    if let last = dropped.last { floor = last.sequence }
  }
}
