public import MediaCore
public import Signalling

/// Lets the rules decide about each event, and keeps to their limits. Does nothing itself.
///
/// An event is judged when it begins, and each time that its score rises by the rules above the one that has matched so far:
/// the strongest moment comes last. Each rule matches an event once.
public struct EventResponder: Sendable {
  private var policy: EventPolicy
  private var uses = UseLimits()
  private var gaps = UseLimits()
  /// By ongoing event: the index of the rule that matched, and the score that was judged last.
  private var running: [String: (place: Int?, score: Int)] = [:]

  /// The maximum number of ongoing events; more are not judged.
  private static let maxRunning = 64

  public init(_ policy: EventPolicy) { self.policy = policy }

  /// The time zones whose local time is needed.
  public var timeZones: Set<PolicyTimeZone> { policy.timeZones }

  /// Replaces the rules. Past uses still count for rules of the same name; ongoing events have been
  /// judged.
  public mutating func apply(_ policy: EventPolicy) {
    self.policy = policy
    for id in running.keys { running[id] = (place: 0, score: 100) }
  }

  /// Judges an event that begins, or gets stronger; returns the rule that matches now, if one does.
  ///
  /// - Parameter circumstances: their ``CallPolicy/EventCircumstances/waits`` are filled in.
  public mutating func take(
    _ event: DetectedEvent, in circumstances: EventCircumstances, now: MonotonicInstant
  ) -> EventEvaluation? {
    guard event.end == nil, let kind = event.knownKind else {
      running[event.id] = nil
      return nil
    }
    let known = running[event.id]
    guard known.map({ event.score > $0.score }) ?? (running.count < Self.maxRunning) else { return nil }
    let subject = EventSubject(kind: kind, source: event.source, score: event.score, camera: event.camera)
    let evaluation = policy.evaluate(subject, in: waiting(circumstances, now: now), above: known?.place)
    running[event.id] = (place: evaluation.place ?? known?.place, score: event.score)
    if let rule = evaluation.rule { note(rule, now: now) }
    return evaluation
  }

  /// What the rules would say of an event that begins now; counts for no limit.
  public func evaluate(
    _ event: EventSubject, in circumstances: EventCircumstances, now: MonotonicInstant
  ) -> EventEvaluation {
    policy.evaluate(event, in: waiting(circumstances, now: now))
  }

  private func waiting(_ circumstances: EventCircumstances, now: MonotonicInstant) -> EventCircumstances {
    var circumstances = circumstances
    for rule in policy.rules {
      let waits = [
        rule.limit.flatMap { uses.wait(rule.name, $0, now: now) },
        rule.gap.flatMap { gaps.wait(rule.name, $0, now: now) },
      ].compactMap { $0 }
      circumstances.waits[rule.name] = waits.max().map { .nanoseconds($0.nanoseconds) }
    }
    return circumstances
  }

  private mutating func note(_ rule: EventRule, now: MonotonicInstant) {
    if let limit = rule.limit { uses.note(rule.name, limit, now: now) }
    if let gap = rule.gap { gaps.note(rule.name, gap, now: now) }
  }
}

extension EventRule {
  /// A gap is a limit of one use.
  fileprivate var gap: UseLimit? { minimumGap.map { UseLimit(count: 1, span: $0) } }
}
