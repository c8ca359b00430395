import MediaCore
import TransportCrypto

extension TURNClient {
  /// The protocol number of UDP, as REQUESTED-TRANSPORT has it (RFC 8656 §18.7).
  private static var udp: UInt32 { 17 }

  mutating func send(_ purpose: TURNTransaction.Purpose, staleCount: Int = 0, now: MonotonicInstant) {
    let initial = isStream ? Self.streamTimeout : configuration.minimumRetransmissionTimeout
    var transaction = makeTransaction(
      purpose, backOff: STUNRetransmissionTimer(now: now, initial: initial, configuration: configuration))
    transaction.staleCount = staleCount
    transactions.append(transaction)
    outgoing.append(transaction.id)
  }

  func makeTransaction(_ purpose: TURNTransaction.Purpose, backOff: STUNRetransmissionTimer) -> TURNTransaction {
    TURNTransaction(
      id: STUNTransactionID(crypto: crypto), purpose: purpose, isAuthenticated: credentials.key != nil,
      backOff: backOff)
  }

  /// Writes the next request to the front of `buffer` (at least 1,100 octets); nil when none waits.
  public mutating func takeTransmit(into buffer: inout MutableRawSpan) -> Int? {
    while let id = outgoing.popFirst() {
      guard let transaction = transactions.first(where: { $0.id == id }),
        let count = try? write(transaction, to: &buffer)
      else { continue }
      return count
    }
    return nil
  }

  private func write(
    _ transaction: TURNTransaction, to buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int {
    var writer = try STUNMessageWriter(.request, transaction.method, transaction.id, to: &buffer)
    switch transaction.purpose {
    case .allocate:
      try writer.append(.requestedTransport, Self.udp << 24, to: &buffer)
      if wantsIPv6 { try writer.append(.requestedAddressFamily, UInt32(STUNAddressFamily.ipv6) << 24, to: &buffer) }
    case .refresh: break
    case .release: try writer.append(.lifetime, UInt32(0), to: &buffer)
    case .permission(let peer): try writer.append(.xorPeerAddress, peer, to: &buffer)
    case .channel(let number, let peer):
      try writer.append(.channelNumber, UInt32(number) << 16, to: &buffer)
      try writer.append(.xorPeerAddress, peer, to: &buffer)
    }
    try authenticate(&writer, &buffer)
    return writer.count
  }

  private func authenticate(
    _ writer: inout STUNMessageWriter, _ buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) {
    guard let key = credentials.key else { return }
    unsafe try writer.append(.username, credentials.username.span.bytes, to: &buffer)
    unsafe try writer.append(.realm, credentials.realm.span.bytes, to: &buffer)
    unsafe try writer.append(.nonce, credentials.nonce.span.bytes, to: &buffer)
    try writer.appendIntegrity(password: key, crypto: crypto, to: &buffer)
  }
}
