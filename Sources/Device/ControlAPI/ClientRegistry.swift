import SystemSupport

/// Who is connected to a socket, so that idle clients cannot keep others out.
///
/// Places are shared by users: when one user's places, or all, are taken, the client that has been idle for longest goes.
/// One that follows events or waits for an answer is not idle. Places are reserved for root and the daemon's own user:
/// `systemctl reload` runs as the latter.
package final class ClientRegistry: Sendable {
  /// Names a client that was let in.
  package struct Ticket: Hashable, Sendable { fileprivate let number: Int }

  private struct Client {
    var userID: UInt32?
    var isPrivileged: Bool
    var idleSince: ContinuousClock.Instant?
    var close: @Sendable () -> Void
  }

  private struct State {
    var next = 0
    var clients: [Int: Client] = [:]
  }

  private let limits: ControlServerLimits
  private let ownUserID: UInt32
  private let state = Mutex(State())

  package init(limits: ControlServerLimits, ownUserID: UInt32) {
    self.limits = limits
    self.ownUserID = ownUserID
  }

  /// Lets a client in, in the place of an idle one if need be; `nil` if there is no place.
  ///
  /// - Parameters:
  ///   - userID: as the kernel knows it; clients of unknown users share the places of one.
  ///   - close: ends the connection; called at most a few times, from any thread.
  package func admit(
    userID: UInt32?, now: ContinuousClock.Instant, close: @escaping @Sendable () -> Void
  ) -> Ticket? {
    let client = Client(
      userID: userID, isPrivileged: userID == 0 || userID == ownUserID, idleSince: now, close: close)
    let (ticket, evicted) = state.withLock { state -> (Ticket?, Client?) in
      guard let full = fullGroup(for: client, state) else { return (Self.insert(client, &state), nil) }
      guard let victim = Self.longestIdle(full, state) else { return (nil, nil) }
      let evicted = state.clients.removeValue(forKey: victim)
      return (Self.insert(client, &state), evicted)
    }
    evicted?.close()
    return ticket
  }

  /// A client begins, or ends, what it must not be interrupted in.
  package func setBusy(_ ticket: Ticket, _ isBusy: Bool, now: ContinuousClock.Instant) {
    state.withLock { $0.clients[ticket.number]?.idleSince = isBusy ? nil : now }
  }

  package func remove(_ ticket: Ticket) { _ = state.withLock { $0.clients.removeValue(forKey: ticket.number) } }

  /// Closes clients that have been idle for too long.
  func closeIdle(now: ContinuousClock.Instant) {
    let old = state.withLock { state in
      state.clients.values.filter { $0.idleSince.map { now - $0 >= limits.idleTimeout } ?? false }
    }
    for client in old { client.close() }
  }

  /// The clients of which one would have to go for a new one; `nil` if there is a place.
  private func fullGroup(for new: Client, _ state: State) -> [Int]? {
    if new.isPrivileged {
      let isFull = state.clients.count >= limits.clients + limits.reservedClients
      return isFull ? Array(state.clients.keys) : nil
    }
    let others = state.clients.filter { !$0.value.isPrivileged }
    let own = others.filter { $0.value.userID == new.userID }
    if own.count >= limits.clientsPerUser { return Array(own.keys) }
    return others.count >= limits.clients ? Array(others.keys) : nil
  }

  private static func longestIdle(_ numbers: [Int], _ state: State) -> Int? {
    let idle = numbers.compactMap { number in state.clients[number]?.idleSince.map { (number, $0) } }
    return idle.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  private static func insert(_ client: Client, _ state: inout State) -> Ticket {
    state.next += 1
    state.clients[state.next] = client
    return Ticket(number: state.next)
  }
}
