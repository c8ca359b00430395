internal import HubCore
internal import Logging
internal import NIOCore
internal import SystemSupport

/// The open connections and who decides which of them stay: ``HubCore/ConnectionTable`` under a lock.
final class ConnectionRegistry: Sendable {
  private struct State {
    var table: ConnectionTable
    var channels: [UInt64: any Channel] = [:]
    var ids: [ObjectIdentifier: UInt64] = [:]
    var counters = ConnectionCounters()
    var reported = ConnectionCounters()
    var lastHandshakeFailure = ""
    /// Wait for the last connection to close.
    var waiters: [CheckedContinuation<Void, Never>] = []

    mutating func admit(
      _ channel: any Channel, from address: IPAddress?
    ) -> (isAdmitted: Bool, evicted: (any Channel)?) {
      counters.opened += 1
      guard case .admitted(let id, let victim) = table.admit(from: address) else {
        counters.refused += 1
        return (false, nil)
      }
      channels[id] = channel
      ids[ObjectIdentifier(channel)] = id
      guard let victim else { return (true, nil) }
      counters.evicted += 1
      return (true, channels[victim])
    }
  }

  let limits: ConnectionLimits
  let trustedProxies: [AddressRange]
  let scheduler: RequestScheduler
  let tasks = RequestTasks()
  private let state: Mutex<State>
  private let tokens: Mutex<KnownTokens>

  init(limits: ConnectionLimits, trustedProxies: [AddressRange]) {
    self.limits = limits
    self.trustedProxies = trustedProxies
    scheduler = RequestScheduler(limits: limits)
    tokens = Mutex(KnownTokens(capacity: limits.total))
    state = Mutex(State(table: ConnectionTable(limits: limits, trustedProxies: trustedProxies)))
  }

  /// As configured, as far as the process may open files.
  convenience init(_ configuration: HubConfiguration, logger: Logger) {
    let limits = configuration.connections.fittedToProcess()
    if limits.total < configuration.connections.total {
      logger.notice(
        "connections: fewer than [connections] total in hub.toml, since the process may open no more files (LimitNOFILE)",
        metadata: ["total": "\(limits.total)"])
    }
    self.init(limits: limits, trustedProxies: configuration.trustedProxies)
  }

  /// Whether there is room for the connection; another one may be closed for it.
  func admit(_ channel: any Channel) -> Bool {
    let address = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    let (isAdmitted, evicted) = state.withLock { state in state.admit(channel, from: address) }
    evicted?.close(promise: nil)
    guard isAdmitted else { return false }
    channel.closeFuture.whenComplete { _ in self.remove(channel) }
    return true
  }

  func noteAuthenticated(_ channel: any Channel) {
    state.withLock { state in
      if let id = state.ids[ObjectIdentifier(channel)] { state.table.noteAuthenticated(id) }
    }
  }

  /// What the connection holds of requests and responses; others may be closed for it.
  func note(byteCount: Int, of channel: any Channel) {
    let victims = state.withLock { state -> [any Channel] in
      guard let id = state.ids[ObjectIdentifier(channel)] else { return [] }
      let victims = state.table.note(byteCount: byteCount, of: id)
      state.counters.evicted += victims.count
      return victims.compactMap { state.channels[$0] }
    }
    for victim in victims { victim.close(promise: nil) }
  }

  /// A request with the token was accepted as the account's.
  func note(token: String, of userID: String) { tokens.withLock { $0.insert(token, of: userID) } }

  /// A request with the token was refused.
  func forget(token: String) { tokens.withLock { $0.remove(token) } }

  /// As ``HubCore/KnownTokens/account(of:)``.
  func account(of token: String) -> Int? { tokens.withLock { $0.account(of: token) } }

  func note(_ change: (inout ConnectionCounters) -> Void) {
    state.withLock { change(&$0.counters) }
  }

  var figures: (counters: ConnectionCounters, open: Int, members: Int) {
    state.withLock { ($0.counters, $0.table.count, $0.table.authenticatedCount) }
  }

  /// A client did not speak TLS, or not as this hub does.
  func noteHandshakeFailure(_ reason: String) {
    state.withLock { state in
      state.counters.failedHandshakes += 1
      state.lastHandshakeFailure = reason
    }
  }

  /// Says what was evicted, refused and failed since the last call, if anything was.
  func report(to logger: Logger) {
    let (evicted, refused, failed, reason) = state.withLock { state in
      defer { state.reported = state.counters }
      return (
        state.counters.evicted - state.reported.evicted, state.counters.refused - state.reported.refused,
        state.counters.failedHandshakes - state.reported.failedHandshakes, state.lastHandshakeFailure
      )
    }
    if failed > 0 {
      logger.notice("clients failed at TLS, the last: \(reason)", metadata: ["connections": "\(failed)"])
    }
    guard evicted + refused > 0 else { return }
    logger.notice(
      "connections were too many: closed the oldest without a login, or refused new ones; see [connections] in hub.toml",
      metadata: ["closed": "\(evicted)", "refused": "\(refused)"])
  }

  /// Returns when no connection is open; closes all of them when the task is cancelled.
  func waitUntilClosed() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isClosed = state.withLock { state in
          if !state.channels.isEmpty { state.waiters.append(continuation) }
          return state.channels.isEmpty
        }
        if isClosed { continuation.resume() }
      }
    } onCancel: {
      let channels = state.withLock { $0.channels.values.map(\.self) }
      for channel in channels { channel.close(promise: nil) }
    }
  }

  private func remove(_ channel: any Channel) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard let id = state.ids.removeValue(forKey: ObjectIdentifier(channel)) else { return [] }
      state.channels[id] = nil
      state.table.close(id)
      state.counters.closed += 1
      guard state.channels.isEmpty else { return [] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

/// What has happened to connections since the hub started, for `/metrics`.
struct ConnectionCounters: Sendable {
  var opened = 0
  var closed = 0
  var evicted = 0
  var refused = 0
  /// Connections without TLS, or whose TLS failed.
  var failedHandshakes = 0
  /// Requests that were not whole in time, or uploads too slow.
  var timedOut = 0
  /// Clients that took nothing of their response.
  var stalled = 0
  /// Requests that are not HTTP as the hub speaks it.
  var malformed = 0
}
