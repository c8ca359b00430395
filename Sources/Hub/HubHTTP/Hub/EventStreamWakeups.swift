internal import SystemSupport
internal import Signalling

/// Wakes the writers of open event streams; what they write they read from the log themselves.
final class EventStreamWakeups: Sendable {
  private enum Writer {
    case stream(EventStream)
    /// A request for what comes next.
    case poll(AsyncStream<Void>.Continuation)

    func wake() {
      switch self {
      case .stream(let stream): stream.wake()
      case .poll(let continuation): continuation.yield()
      }
    }

    func end() {
      switch self {
      case .stream(let stream): stream.end()
      case .poll(let continuation): continuation.finish()
      }
    }
  }

  private struct Listener {
    var writer: Writer
    /// When the token under which the stream was opened ends, in seconds since 1970.
    var expiresAt: Int64
    /// That the token belongs to.
    var loginID: String
    /// Which of the ``turns`` is its own.
    var turn: Int
  }

  /// How many times the clock wakes some of the streams until all had their turn: waking ten thousand at once would hold
  /// up requests for a quarter of a second.
  static let turns = EventStreamPace.longestSilence

  private struct State {
    var listeners: [String: Listener] = [:]
    var registrations = 0
    var lastTurn = 0
    /// The hub stops: no stream lasts any longer.
    var isStopped = false

    /// Returns whether the writer may wait.
    mutating func add(
      _ writer: Writer, of streamID: String, until expiresAt: Int64, login loginID: String, waitsLong: Bool
    ) -> Bool {
      if !waitsLong { registrations &+= 1 }
      let turn = (waitsLong ? lastTurn : registrations) % EventStreamWakeups.turns
      listeners[streamID] = Listener(writer: writer, expiresAt: expiresAt, loginID: loginID, turn: turn)
      return !isStopped
    }
  }

  private let state = Mutex(State())

  /// Has a stream woken until it is unregistered.
  func register(_ stream: EventStream, until expiresAt: Int64, login loginID: String) {
    let mayWait = state.withLock { state in
      state.add(.stream(stream), of: stream.id, until: expiresAt, login: loginID, waitsLong: false)
    }
    if !mayWait { stream.end() }
  }

  /// Wake-ups for one stream; several before the writer polls count as one.
  ///
  /// - Parameter waitsLong: its turn is the last of those that come, as a request wants that is answered then.
  func register(
    _ streamID: String, until expiresAt: Int64, login loginID: String = "", waitsLong: Bool = false
  ) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let mayWait = state.withLock { state in
      state.add(.poll(continuation), of: streamID, until: expiresAt, login: loginID, waitsLong: waitsLong)
    }
    if !mayWait { continuation.finish() }
    return stream
  }

  func unregister(_ streamID: String) {
    guard case .poll(let continuation) = state.withLock({ $0.listeners.removeValue(forKey: streamID) })?.writer else {
      return
    }
    continuation.finish()
  }

  func wake(_ streamIDs: Set<String>) {
    let woken = state.withLock { state in streamIDs.compactMap { state.listeners[$0]?.writer } }
    for writer in woken { writer.wake() }
  }

  /// Ends the streams whose tokens have run out; their writers still send what was logged until now.
  func endExpired(at time: Int64) {
    for writer in writers(where: { $0.expiresAt <= time }) { writer.end() }
  }

  /// Ends the streams of logins that have ended.
  func end(logins: Set<String>) {
    for writer in writers(where: { logins.contains($0.loginID) }) { writer.end() }
  }

  /// Wakes every ``turns``-th stream. One that wakes to nothing new writes a comment, which keeps the connection alive.
  ///
  /// - Parameter turn: any number not below zero; after ``turns`` of them in a row all streams have been woken.
  func wake(turn: Int) {
    state.withLock { $0.lastTurn = turn }
    for writer in writers(where: { $0.turn == turn % Self.turns }) { writer.wake() }
  }

  /// When the next stream has its turn or ends.
  ///
  /// - Parameters:
  ///   - turn: the last one.
  ///   - time: in seconds since 1970.
  func secondsUntilDue(after turn: Int, at time: Int64, atMost longest: Int) -> Int {
    state.withLock { state in
      var seconds = longest
      for listener in state.listeners.values where seconds > 1 {
        let distance = (listener.turn - turn - 1) % Self.turns
        let untilEnd = Int(clamping: max(listener.expiresAt - time, 1))
        seconds = min(seconds, 1 + (distance < 0 ? distance + Self.turns : distance), untilEnd)
      }
      return seconds
    }
  }

  func wakeAll() {
    for writer in writers(where: { _ in true }) { writer.wake() }
  }

  /// Ends all streams, and from now on each at once: the hub stops.
  func stop() {
    state.withLock { $0.isStopped = true }
    for writer in writers(where: { _ in true }) { writer.end() }
  }

  private func writers(where isMeant: (Listener) -> Bool) -> [Writer] {
    state.withLock { state in state.listeners.values.filter(isMeant).map(\.writer) }
  }
}
