public import MediaCore

/// When a store that failed is tried again: with full jitter, so that a fleet does not come back at once.
public struct UploadRetry: Sendable {
  public enum Cause: Hashable, Sendable {
    /// The network, or the store, which passes by itself.
    case passing
    /// The store asks for less, and may say how long to wait.
    case overload(requested: TimeSpan?)
    /// The operator has to change something: a key, a name, a clock.
    case settings
  }

  private static let shortest = TimeSpan.seconds(2)
  private static let longest = TimeSpan.seconds(900)
  /// What needs a change is not retried more often than this.
  private static let settingsPause = TimeSpan.seconds(60)
  private static let overloadPause = TimeSpan.seconds(5)

  private var backoff = Backoff(initial: UploadRetry.shortest, maximum: UploadRetry.longest)

  public init() {}

  /// How long to wait after a failure.
  ///
  /// - Parameter random: uniformly distributed in 0 ..< 1.
  public mutating func pause(after cause: Cause, random: Double) -> TimeSpan {
    switch cause {
    case .passing: backoff.next(random: random)
    case .overload(let requested):
      requested == nil
        ? Self.overloadPause + backoff.next(random: random) : backoff.next(random: random, requested: requested)
    case .settings: Self.settingsPause + backoff.next(random: random)
    }
  }

  /// Something has been sent whole.
  public mutating func reset() { backoff.reset() }
}
