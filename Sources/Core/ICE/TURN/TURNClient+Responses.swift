import MediaCore
import TransportCrypto

extension TURNClient {
  /// Takes the answer to a request of ours. One that is not signed by the server changes nothing.
  mutating func handleResponse(_ message: STUNMessage, _ datagram: RawSpan, now: MonotonicInstant) {
    guard let index = transactions.firstIndex(where: { $0.id == message.header.transactionID }) else { return }
    let transaction = transactions[index]
    guard message.header.method == transaction.method, isAuthentic(message, datagram, transaction) else { return }
    transactions.remove(at: index)
    if message.header.messageClass == .successResponse {
      succeed(transaction.purpose, message, now: now)
    } else {
      handleError(message, datagram, transaction, now: now)
    }
    handleTimeout(now: now)
  }

  /// Answers to requests with credentials are signed, but for those that ask for other ones (RFC 8489 §9.2.5).
  private func isAuthentic(_ message: STUNMessage, _ datagram: RawSpan, _ transaction: TURNTransaction) -> Bool {
    guard transaction.isAuthenticated, let key = credentials.key else { return true }
    if message.integrityOffset == nil, message.header.messageClass == .errorResponse {
      return message.errorCode == 401 || message.errorCode == 438
    }
    return message.hasValidIntegrity(in: datagram, password: key, crypto: crypto)
  }

  private mutating func succeed(_ purpose: TURNTransaction.Purpose, _ message: STUNMessage, now: MonotonicInstant) {
    switch purpose {
    case .allocate: becomeAllocated(message, now: now)
    case .refresh: keep(relayedAddress, message, now: now)
    case .release: return
    case .permission(let peer): peers.setPermission(peer, due: now + TURNPermission.refreshInterval)
    case .channel(let number, _): peers.setChannel(number, isBound: true, due: now + TURNChannel.refreshInterval)
    }
  }

  private mutating func becomeAllocated(_ message: STUNMessage, now: MonotonicInstant) {
    guard let relayed = message.relayedAddress, relayed.isUnicast else { return fail(.malformedAnswer) }
    keep(relayed, message, now: now)
  }

  /// Refreshes after five sixths of the lifetime, but at the earliest after ten seconds.
  private mutating func keep(_ relayed: TransportAddress?, _ message: STUNMessage, now: MonotonicInstant) {
    guard let relayed, let lifetime = message.lifetime else { return fail(.malformedAnswer) }
    guard lifetime > 0 else { return fail(.lost(code: 0)) }
    let interval = TimeSpan.seconds(Int64(min(max(lifetime, 12), 3_600))) / 6 * 5
    state = .allocated(relayed: relayed, refresh: now + interval)
  }
}

extension TURNClient {
  private mutating func handleError(
    _ message: STUNMessage, _ datagram: RawSpan, _ transaction: TURNTransaction, now: MonotonicInstant
  ) {
    switch message.errorCode ?? 0 {
    case 401 where !transaction.isAuthenticated, 438 where transaction.staleCount < TURNTransaction.staleLimit:
      guard credentials.takeChallenge(message, datagram, crypto: crypto) else { return fail(.malformedAnswer) }
      send(transaction.purpose, staleCount: transaction.staleCount + 1, now: now)
    case 401: fail(.credentialsRefused)
    case let code: refuse(transaction.purpose, code, now: now)
    }
  }

  private mutating func refuse(_ purpose: TURNTransaction.Purpose, _ code: Int, now: MonotonicInstant) {
    switch purpose {
    case .allocate: refuseAllocation(code, now: now)
    case .refresh: fail(.lost(code: code))
    case .release: return
    // The allocation is gone (RFC 8656 §6): the server knows no client on this connection.
    case .permission where code == 437, .channel where code == 437: fail(.lost(code: code))
    // Only the peer is refused; its checks will not be answered.
    case .permission(let peer): peers.setPermission(peer, due: .distantFuture)
    case .channel(let number, _): peers.setChannel(number, isBound: false, due: .distantFuture)
    }
  }

  private mutating func refuseAllocation(_ code: Int, now: MonotonicInstant) {
    switch code {
    case 300: fail(.redirected)
    case 440 where !hasChangedFamily:
      hasChangedFamily = true
      wantsIPv6.toggle()
      send(.allocate, now: now)
    default: fail(.refused(code: code))
    }
  }
}
