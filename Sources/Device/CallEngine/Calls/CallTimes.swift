import MediaCore

/// When the phase of a call is over, and when the other side is warned of that.
struct CallTimes: Sendable {
  /// From the decision to answer, or from the other side's answer, until media flows; and for an offer to be made.
  static let setUp = TimeSpan.seconds(30)
  /// How long a call that this device places may go unanswered; the hub's own limit is the same.
  static let unanswered = TimeSpan.seconds(60)
  /// How long before its end a call of limited duration is warned; at most a quarter of the duration.
  private static let warning = TimeSpan.seconds(30)

  private var deadline: MonotonicInstant?
  private var warnsAt: MonotonicInstant?

  init(until deadline: MonotonicInstant? = nil) { self.deadline = deadline }

  /// A connected call's.
  init(_ now: MonotonicInstant, maxDuration: Duration?) {
    guard let duration = maxDuration.map({ TimeSpan($0) }) else { return }
    deadline = now + duration
    warnsAt = now + duration - min(Self.warning, duration / 4)
  }

  /// When there is something to do next.
  var next: MonotonicInstant? { [deadline, warnsAt].compactMap(\.self).min() }

  func isOver(now: MonotonicInstant) -> Bool { deadline.map { $0 <= now } ?? false }

  /// The seconds that are left, once, when the other side is to be warned.
  mutating func popWarning(now: MonotonicInstant) -> Int? {
    guard let warnsAt, warnsAt <= now, let deadline else { return nil }
    self.warnsAt = nil
    return Int(clamping: ((deadline - now) + .milliseconds(999)).milliseconds / 1000)
  }
}
