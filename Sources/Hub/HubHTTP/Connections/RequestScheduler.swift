internal import HubCore
internal import SystemSupport
internal import NIOCore

/// Decides when a request begins to be answered: ``HubCore/RequestTurns`` under a lock, with a timer while one waits.
final class RequestScheduler: Sendable {
  /// A request that may have to wait.
  struct Ticket: Equatable, Sendable {
    let connection: ObjectIdentifier
    /// Called on any thread when the request's turn has come.
    let start: @Sendable () -> Void

    static func == (one: Ticket, other: Ticket) -> Bool { one.connection == other.connection }
  }

  private struct State {
    var turns: RequestTurns<Ticket>
    var hasTimer = false
    var delayed = 0
  }

  /// How often the turn is checked while a request waits.
  private static let interval = TimeAmount.milliseconds(5)
  private let state: Mutex<State>

  init(limits: ConnectionLimits) {
    state = Mutex(
      State(turns: RequestTurns(clientRate: limits.requestRate, anonymousRate: limits.anonymousRequestRate)))
  }

  /// Requests that had to wait, since the hub started.
  var delayedCount: Int { state.withLock { $0.delayed } }

  /// Whether the request may begin now; otherwise its ticket's `start` is called once.
  ///
  /// - Parameter byteCount: Of the request, as far as it is known.
  func take(_ ticket: Ticket, of client: RequestClient, byteCount: Int, on eventLoop: any EventLoop) -> Bool {
    let cost = RequestTurns<Ticket>.cost(ofBytes: byteCount)
    let (mayStart, needsTimer) = state.withLock { state in
      guard !state.turns.take(ticket, of: client, cost: cost, now: .now) else { return (true, false) }
      state.delayed += 1
      defer { state.hasTimer = true }
      return (false, !state.hasTimer)
    }
    if needsTimer { arm(eventLoop) }
    return mayStart
  }

  func withdraw(_ ticket: Ticket, of client: RequestClient) {
    state.withLock { $0.turns.withdraw(ticket, of: client) }
  }

  private func arm(_ eventLoop: any EventLoop) {
    eventLoop.scheduleTask(in: Self.interval) { self.startDue(eventLoop) }
  }

  private func startDue(_ eventLoop: any EventLoop) {
    let (due, isOver) = state.withLock { state in
      var due: [Ticket] = []
      let now = Instant.now
      while let ticket = state.turns.popDue(now: now) { due.append(ticket) }
      state.hasTimer = !state.turns.isEmpty
      return (due, state.turns.isEmpty)
    }
    for ticket in due { ticket.start() }
    if !isOver { arm(eventLoop) }
  }
}
