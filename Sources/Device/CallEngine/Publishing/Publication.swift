import MediaCore
import MediaPlaneAPI

/// What a device does to publish to one server, sans-IO: a session begins by one request, is restarted by others, and a
/// new one begins after a failure.
///
/// What is late is of an earlier attempt, and changes nothing.
struct Publication: Sendable {
  enum Phase: Sendable, Equatable {
    /// Nothing is to be published.
    case idle
    /// The server is asked, and media finds its path.
    case connecting(until: MonotonicInstant)
    /// Media flows.
    case publishing(since: MonotonicInstant)
    /// Media flowed, and a new path is agreed on.
    case restarting(until: MonotonicInstant, since: MonotonicInstant)
    /// After a failure.
    case waiting(until: MonotonicInstant)
  }

  enum Action: Sendable, Equatable {
    /// Begins an attempt: ``Publication/established(_:now:)`` or ``Publication/failed(_:of:now:)`` follows.
    case connect(attempt: Int)
    /// Hands the server the offer of a restart; ``Publication/restarted(_:now:)`` or ``Publication/failed(_:of:now:)``
    /// follows.
    case restart(attempt: Int, offer: String)
    /// Ends the session here and at the server, if there is one.
    case disconnect(attempt: Int)
  }

  /// From the first request to media.
  static let connectLimit = TimeSpan.seconds(30)
  static let restartLimit = TimeSpan.seconds(30)
  static let firstPause = TimeSpan.seconds(1)
  static let longestPause = TimeSpan.seconds(60)
  /// After failures that last until somebody changes something.
  static let lastingPause = TimeSpan.seconds(30)
  static let longestLastingPause = TimeSpan.seconds(300)
  /// A session that has lasted for this time makes up for the failures before it.
  static let steadyTime = TimeSpan.seconds(60)

  private(set) var phase = Phase.idle
  private(set) var attempt = 0
  /// The last failure, until media flows.
  private(set) var failure: PublishFailure?
  private(set) var failureCount = 0
  private var failuresInRow = 0

  /// When ``tick(now:random:)`` has something to do.
  var deadline: MonotonicInstant {
    switch phase {
    case .idle, .publishing: .distantFuture
    case .connecting(let until), .restarting(let until, _), .waiting(let until): until
    }
  }

  private var isUp: Bool {
    switch phase {
    case .idle, .waiting: false
    case .connecting, .publishing, .restarting: true
    }
  }

  // MARK: What is wanted

  mutating func want(_ isWanted: Bool, now: MonotonicInstant) -> [Action] {
    guard isWanted else { return stop() }
    return phase == .idle ? connect(now: now) : []
  }

  private mutating func stop() -> [Action] {
    let actions = isUp ? [Action.disconnect(attempt: attempt)] : []
    (phase, failuresInRow, failure) = (.idle, 0, nil)
    return actions
  }

  private mutating func connect(now: MonotonicInstant) -> [Action] {
    attempt += 1
    phase = .connecting(until: now + Self.connectLimit)
    return [.connect(attempt: attempt)]
  }

  // MARK: What happens

  /// Media flows.
  mutating func connected(_ attempt: Int, now: MonotonicInstant) {
    guard attempt == self.attempt, case .connecting = phase else { return }
    phase = .publishing(since: now)
    failure = nil
  }

  /// The media plane asks for a new path.
  mutating func offered(_ offer: String, of attempt: Int, now: MonotonicInstant) -> [Action] {
    guard attempt == self.attempt else { return [] }
    switch phase {
    case .publishing(let since): phase = .restarting(until: now + Self.restartLimit, since: since)
    // The offer before was not answered.
    case .restarting: break
    case .idle, .connecting, .waiting: return []
    }
    return [.restart(attempt: attempt, offer: offer)]
  }

  /// The server has answered the restart.
  mutating func restarted(_ attempt: Int) {
    guard attempt == self.attempt, case .restarting(_, let since) = phase else { return }
    phase = .publishing(since: since)
  }

  mutating func failed(
    _ failure: PublishFailure, of attempt: Int, now: MonotonicInstant, random: Double
  ) -> [Action] {
    guard attempt == self.attempt, isUp else { return [] }
    if let since = mediaSince, now - since >= Self.steadyTime { failuresInRow = 0 }
    self.failure = failure
    failureCount += 1
    phase = .waiting(until: now + pause(after: failure, random: random))
    failuresInRow += 1
    return [.disconnect(attempt: attempt)]
  }

  private var mediaSince: MonotonicInstant? {
    switch phase {
    case .publishing(let since), .restarting(_, let since): since
    case .idle, .connecting, .waiting: nil
    }
  }

  /// Twice as long each time, less a random half, so that devices do not come back together.
  private func pause(after failure: PublishFailure, random: Double) -> TimeSpan {
    let isLasting = failure.course == .lasting
    let first = isLasting ? Self.lastingPause : Self.firstPause
    let longest = isLasting ? Self.longestLastingPause : Self.longestPause
    let doubled = first.seconds * Double(1 << min(failuresInRow, 10))
    let milliseconds = min(doubled, longest.seconds) * (0.5 + random / 2) * 1_000
    return max(.milliseconds(Int64(milliseconds)), min(failure.retryAfter ?? .zero, Self.longestLastingPause))
  }

  mutating func tick(now: MonotonicInstant, random: Double) -> [Action] {
    switch phase {
    case .idle, .publishing: []
    case .waiting(let until): until <= now ? connect(now: now) : []
    case .connecting(let until): until <= now ? failed(.noPath, of: attempt, now: now, random: random) : []
    case .restarting(let until, _):
      until <= now ? failed(.restartUnanswered, of: attempt, now: now, random: random) : []
    }
  }
}
