public import MediaCore

extension TURNClient {
  /// Does everything whose time has come. Calling it early does no harm.
  public mutating func handleTimeout(now: MonotonicInstant) {
    repeatRequests(now: now)
    renew(now: now)
    refreshDeadline()
  }

  private mutating func repeatRequests(now: MonotonicInstant) {
    var abandoned: [TURNTransaction.Purpose] = []
    for index in transactions.indices.reversed() {
      switch transactions[index].backOff.advance(now: now, configuration: configuration) {
      case .wait: continue
      case .transmit: outgoing.append(transactions[index].id)
      case .giveUp: abandoned.append(transactions.remove(at: index).purpose)
      }
    }
    for purpose in abandoned { giveUp(purpose, now: now) }
  }

  private mutating func giveUp(_ purpose: TURNTransaction.Purpose, now: MonotonicInstant) {
    switch purpose {
    case .allocate, .refresh: fail(.noAnswer)
    case .release: return
    case .permission(let peer): peers.setPermission(peer, due: now)
    case .channel(let number, _): peers.setChannel(number, isBound: false, due: now)
    }
  }

  /// Sends what keeps the allocation, its permissions and its channel alive.
  private mutating func renew(now: MonotonicInstant) {
    guard case .allocated(let relayed, let refresh) = state else { return }
    if refresh <= now {
      state = .allocated(relayed: relayed, refresh: .distantFuture)
      send(.refresh, now: now)
    }
    while let peer = peers.takePermission(now: now) { send(.permission(peer), now: now) }
    while let channel = peers.takeChannel(now: now) { send(.channel(channel.number, channel.peer), now: now) }
  }

  mutating func refreshDeadline() {
    deadline = transactions.reduce(.distantFuture) { min($0, $1.backOff.deadline) }
    guard case .allocated(_, let refresh) = state else { return }
    deadline = min(deadline, refresh, peers.deadline)
  }
}
