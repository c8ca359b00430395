/// Where the hub's event stream is resumed when it breaks, and after what pause.
struct EventStreamResumption {
  /// The hub has greeted, on a stream or in an answer to a poll, and what it opened then continues.
  var isOpen = false
  /// Of the last event that was handed over; sent as `Last-Event-ID`. Empty before the first.
  var lastEventID = ""
  /// The least pause before the next attempt, as the hub asks.
  var reconnectionTime = Duration.zero
  /// Whether an event was skipped before, so that it is logged once.
  var hasSkipped = false
  var route = EventRoute()
}

/// Whether events come by a stream, or by requests one after the other since something between here and the hub holds
/// streams back.
struct EventRoute {
  /// Streams without a greeting, one after the other, before polling is tried.
  static let maximumSilentStreams = 3
  /// How often a stream is tried again while events are polled.
  static let trialInterval: Duration = .seconds(3_600)

  private enum State {
    case streaming(silent: Int)
    /// - `isProven`: polling has worked where a stream at the same time did not.
    case polling(isProven: Bool)
  }

  private var state = State.streaming(silent: 0)

  var isPolling: Bool { if case .polling = state { true } else { false } }

  /// A stream brought the hub's greeting.
  mutating func streamWorks() { state = .streaming(silent: 0) }

  /// A stream failed without a greeting, though polling works.
  mutating func streamIsHeldBack() { state = .polling(isProven: true) }

  /// A stream or a poll has failed. A hub that hangs holds back both, so only proven polling continues.
  mutating func failed(_ error: HubClientError) {
    switch state {
    case .streaming(let silent):
      guard error.isSilence else { return state = .streaming(silent: 0) }
      state = silent + 1 < Self.maximumSilentStreams ? .streaming(silent: silent + 1) : .polling(isProven: false)
    case .polling(isProven: false): state = .streaming(silent: 0)
    case .polling(isProven: true): break
    }
  }
}
