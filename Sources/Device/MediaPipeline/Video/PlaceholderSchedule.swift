internal import MediaCore

/// When the "no video" card is to be published: once a second while no video is shown.
struct PlaceholderSchedule {
  /// Between the source's frames.
  var interval = TimeSpan.zero
  private var lastFrame: MonotonicInstant
  private var lastCard: MonotonicInstant?
  private var hasShown = false

  /// How long the last frame stands before the card replaces it.
  private static let timeout = TimeSpan.seconds(1)
  /// How often requests for key frames are checked while the card is shown.
  private static let pollInterval = TimeSpan.milliseconds(100)

  init(start: MonotonicInstant) { lastFrame = start }

  mutating func noteFrame(at now: MonotonicInstant) {
    lastFrame = now
    lastCard = nil
    hasShown = true
  }

  mutating func noteCard(at now: MonotonicInstant) {
    lastCard = now
    hasShown = true
  }

  /// - Parameter isWithoutSource: then the first card need not wait for a frame.
  func isDue(at now: MonotonicInstant, isMuted: Bool, isWithoutSource: Bool, isKeyFrameDue: Bool) -> Bool {
    if let lastCard { return isKeyFrameDue || now - lastCard >= PlaceholderFrame.interval }
    return isMuted || now >= silenceEnd || !hasShown && isWithoutSource
  }

  /// When ``isDue(at:isMuted:isWithoutSource:isKeyFrameDue:)`` has to be asked at the latest.
  func deadline(now: MonotonicInstant) -> MonotonicInstant {
    guard let lastCard else { return silenceEnd }
    return min(lastCard + PlaceholderFrame.interval, now + Self.pollInterval)
  }

  private var silenceEnd: MonotonicInstant { lastFrame + max(Self.timeout, interval * 2) }
}
