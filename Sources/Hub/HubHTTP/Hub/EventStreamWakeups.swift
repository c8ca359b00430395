internal import SystemSupport
internal import Signalling

/// Wakes the writers of open event streams; what they write they read from the log themselves.
final class EventStreamWakeups: Sendable {
  private struct Listener {
    var continuation: AsyncStream<Void>.Continuation
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
  }

  private let state = Mutex(State())

  /// Wake-ups for one stream; several before the writer polls count as one.
  ///
  /// - Parameter waitsLong: its turn is the last of those that come, as a request wants that is answered then.
  func register(
    _ streamID: String, until expiresAt: Int64, login loginID: String = "", waitsLong: Bool = false
  ) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      if !waitsLong { state.registrations &+= 1 }
      let turn = (waitsLong ? state.lastTurn : state.registrations) % Self.turns
      state.listeners[streamID] = Listener(
        continuation: continuation, expiresAt: expiresAt, loginID: loginID, turn: turn)
    }
    return stream
  }

  func unregister(_ streamID: String) {
    state.withLock { $0.listeners.removeValue(forKey: streamID) }?.continuation.finish()
  }

  func wake(_ streamIDs: Set<String>) {
    let woken = state.withLock { state in streamIDs.compactMap { state.listeners[$0]?.continuation } }
    for continuation in woken { continuation.yield() }
  }

  /// Ends the streams whose tokens have run out; their writers still send what was logged until now.
  func endExpired(at time: Int64) {
    for continuation in continuations(where: { $0.expiresAt <= time }) { continuation.finish() }
  }

  /// Ends the streams of logins that have ended.
  func end(logins: Set<String>) {
    for continuation in continuations(where: { logins.contains($0.loginID) }) { continuation.finish() }
  }

  /// Wakes every ``turns``-th stream. One that wakes to nothing new writes a comment, which keeps the connection alive.
  ///
  /// - Parameter turn: any number not below zero; after ``turns`` of them in a row all streams have been woken.
  func wake(turn: Int) {
    state.withLock { $0.lastTurn = turn }
    for continuation in continuations(where: { $0.turn == turn % Self.turns }) { continuation.yield() }
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
    for continuation in continuations(where: { _ in true }) { continuation.yield() }
  }

  private func continuations(where isMeant: (Listener) -> Bool) -> [AsyncStream<Void>.Continuation] {
    state.withLock { state in state.listeners.values.filter(isMeant).map(\.continuation) }
  }
}
