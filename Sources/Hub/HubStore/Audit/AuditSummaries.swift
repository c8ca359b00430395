internal import HubCore
internal import Signalling

/// Decides which routine events are entries of their own: the first of a kind by an actor on a subject is, what repeats
/// it within ``window`` is counted, and so is what comes too fast to be kept one by one.
struct AuditSummaries: Sendable {
  /// Milliseconds.
  static let window: Int64 = 300_000
  /// Kinds, actors and subjects that are remembered at a time.
  static let maximumKeys = 512
  /// Routine entries a minute, besides summaries.
  static let entriesPerMinute = 60

  private struct Key: Hashable {
    var kind: AuditKind
    var outcome: AuditOutcome
    var actor: AuditActor
    var subject: AuditSubject?
  }

  private struct Tally {
    var event: AuditEvent
    var count = 0
    var firstAt: Int64
    var lastAt: Int64
    /// When what was counted becomes an entry.
    var dueAt: Int64
  }

  private var tallies: [Key: Tally] = [:]
  private var limiter = RateLimiter(perMinute: entriesPerMinute)

  /// What is to be written now; nil where the event is counted.
  ///
  /// - Parameters:
  ///   - now: for the rate.
  ///   - time: the same in milliseconds since 1970.
  mutating func admit(_ event: AuditEvent, now: Instant, at time: Int64) -> AuditRecord? {
    guard event.isRoutine else { return event.record(at: time) }
    let key = Self.key(event)
    if tallies[key] != nil {
      count(event, as: key, at: time)
      return nil
    }
    guard tallies.count < Self.maximumKeys, limiter.take("", now: now) == nil else {
      let others = Self.others(like: event)
      count(others, as: Self.key(others), at: time)
      return nil
    }
    tallies[key] = Tally(event: event, firstAt: time, lastAt: time, dueAt: time + Self.window)
    return event.record(at: time)
  }

  /// The summaries that are due at a time in milliseconds since 1970, or all.
  mutating func take(at time: Int64, all: Bool = false) -> [AuditRecord] {
    let due = tallies.filter { all || $0.value.dueAt <= time || $0.value.firstAt > time }
    for key in due.keys { tallies[key] = nil }
    let counted = due.values.filter { $0.count > 0 }.sorted { $0.firstAt < $1.firstAt }
    return counted.map { $0.event.record(at: $0.firstAt, count: $0.count, lastAt: $0.lastAt) }
  }

  private mutating func count(_ event: AuditEvent, as key: Key, at time: Int64) {
    var tally = tallies[key] ?? Tally(event: event, firstAt: time, lastAt: time, dueAt: time + Self.window)
    if tally.count == 0 { (tally.event, tally.firstAt) = (event, time) }
    tally.count += 1
    tally.lastAt = time
    tallies[key] = tally
  }

  /// Logins differ with each time.
  private static func key(_ event: AuditEvent) -> Key {
    var actor = event.actor
    actor.loginID = nil
    return Key(kind: event.kind, outcome: event.outcome, actor: actor, subject: event.subject)
  }

  /// What stands for many different ones.
  private static func others(like event: AuditEvent) -> AuditEvent {
    AuditEvent(event.kind, by: AuditActor(.unknown), outcome: event.outcome)
  }
}
