import MediaCore

/// Whether the peer still consents to receive (RFC 7675), and whether the selected path still carries anything.
struct ConsentFreshness {
  /// When the peer last answered on the selected path.
  private(set) var lastAnswer: MonotonicInstant
  /// When anything authentic last came over it.
  private(set) var lastReceived: MonotonicInstant
  private(set) var nextCheck: MonotonicInstant
  private(set) var unanswered = 0
  /// When the path became suspected.
  private(set) var suspectSince: MonotonicInstant?
  private var lastCheck: MonotonicInstant?
  private var lastSuspicion: MonotonicInstant?
  /// Media has come since the last suspicion, so that its end raises another one.
  private var hasMedia = false
  /// The present suspicion has been reported.
  private var isReported = false

  init(lastAnswer: MonotonicInstant, nextCheck: MonotonicInstant) {
    self.lastAnswer = lastAnswer
    self.nextCheck = nextCheck
    lastReceived = lastAnswer
  }

  /// The peer answered a request that was sent at `sentAt`. A request from before the suspicion does not clear it.
  mutating func noteAnswer(sentAt: MonotonicInstant, now: MonotonicInstant) {
    lastAnswer = now
    lastReceived = now
    unanswered = 0
    if let suspectSince, sentAt < suspectSince { return }
    suspectSince = nil
    isReported = false
  }

  /// Something authentic came.
  mutating func noteReceived(now: MonotonicInstant) { lastReceived = now }

  /// Media came. Returns whether it is the first since the last suspicion, so that ``suspicionDeadline(_:)`` is earlier now.
  mutating func noteMedia(now: MonotonicInstant) -> Bool {
    lastReceived = now
    defer { hasMedia = true }
    return !hasMedia
  }

  mutating func noteCheck(next: MonotonicInstant, now: MonotonicInstant) {
    unanswered += 1
    lastCheck = now
    nextCheck = next
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

// MARK: - Suspicion

extension ConsentFreshness {
  /// Returns false if the path was suspected already.
  mutating func suspect(now: MonotonicInstant) -> Bool {
    guard suspectSince == nil else { return false }
    suspectSince = now
    lastSuspicion = now
    hasMedia = false
    return true
  }

  /// When the path is suspected if nothing more comes: media has stopped, or a consent check stays unanswered.
  func suspicionDeadline(_ configuration: ICEConfiguration) -> MonotonicInstant {
    guard suspectSince == nil else { return .distantFuture }
    let silence = hasMedia ? lastReceived + configuration.quietTime : .distantFuture
    guard unanswered > 0, let lastCheck else { return silence }
    return min(silence, lastCheck + configuration.answerTime)
  }

  /// Whether packets from elsewhere may make the path suspected again.
  func maySuspect(now: MonotonicInstant, _ configuration: ICEConfiguration) -> Bool {
    lastSuspicion.map { now - $0 >= configuration.answerTime } ?? true
  }

  /// When a suspected path is given up for another one that answers.
  ///
  /// - Parameter isPeerElsewhere: the peer's media comes over that other one.
  func lossDeadline(isPeerElsewhere: Bool, _ configuration: ICEConfiguration) -> MonotonicInstant {
    guard let since = suspectSince else { return .distantFuture }
    let silence =
      isPeerElsewhere
      ? max(since, lastReceived) + configuration.diversionTime
      : max(since + configuration.answerTime, lastReceived + configuration.suspicionTime)
    return min(silence, since + configuration.silenceTime)
  }

  /// When the suspicion is reported; later if media keeps arriving, since then only answers were lost.
  func reportDeadline(_ configuration: ICEConfiguration) -> MonotonicInstant {
    guard let since = suspectSince, !isReported else { return .distantFuture }
    let silence = max(since + configuration.answerTime, lastReceived + configuration.silenceTime)
    return min(silence, since + configuration.silenceTime * 2)
  }

  mutating func noteReport() { isReported = true }
}
