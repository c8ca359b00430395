import MediaCore

/// Whether the peer still wants to be sent to (RFC 7675).
struct ConsentFreshness {
  /// When the peer last answered on the selected path.
  private(set) var lastAnswer: MonotonicInstant
  private(set) var nextCheck: MonotonicInstant
  private(set) var unanswered = 0
  /// Since when there has been reason to doubt the path.
  private(set) var suspectSince: MonotonicInstant?

  init(lastAnswer: MonotonicInstant, nextCheck: MonotonicInstant) {
    self.lastAnswer = lastAnswer
    self.nextCheck = nextCheck
  }

  mutating func noteAnswer(now: MonotonicInstant) {
    lastAnswer = now
    unanswered = 0
    suspectSince = nil
  }

  mutating func noteCheck(next: MonotonicInstant) {
    unanswered += 1
    nextCheck = next
  }

  /// Returns false if the path was in doubt already.
  mutating func suspect(now: MonotonicInstant) -> Bool {
    guard suspectSince == nil else { return false }
    suspectSince = now
    return true
  }

  func expiry(_ configuration: ICEConfiguration) -> MonotonicInstant { lastAnswer + configuration.consentTimeout }

  /// Draws the time of a next check: the interval with ±20 % (RFC 7675 §5.1).
  static func drawNextCheck(
    after now: MonotonicInstant, random: UInt64, configuration: ICEConfiguration
  ) -> MonotonicInstant {
    let interval = configuration.consentInterval.nanoseconds
    let spread = UInt64(max(interval / 5 * 2, 1))
    return now + TimeSpan(nanoseconds: interval / 5 * 4 + Int64(random % spread))
  }
}
