import MediaCore

/// A permission for a peer's address, for any port (RFC 8656 §9).
struct TURNPermission {
  /// More are not requested.
  static let limit = 32
  /// A permission lasts five minutes.
  static let refreshInterval = TimeSpan.seconds(240)

  /// Port 0.
  let address: TransportAddress
  /// When to ask (again); never while a request is pending or after a refusal.
  var due: MonotonicInstant
}

/// A short name for one peer (RFC 8656 §12).
struct TURNChannel {
  /// A binding lasts ten minutes.
  static let refreshInterval = TimeSpan.seconds(540)

  let number: UInt16
  let peer: TransportAddress
  /// The server has confirmed it.
  var isBound = false
  /// The selected path uses it; others are left to expire.
  var isWanted = true
  /// When to ask (again); never while a request is pending or after a refusal.
  var due: MonotonicInstant
}

/// The permissions and channels of one allocation; both tables are bounded.
struct TURNPeers {
  private(set) var permissions: [TURNPermission] = []
  private(set) var channels: [TURNChannel] = []
  /// The channel in use, for one lookup per packet.
  private var current: (peer: TransportAddress, number: UInt16)?

  /// Requests relaying to and from the peer's address.
  mutating func permit(_ peer: TransportAddress, now: MonotonicInstant) {
    let address = peer.withoutPort
    guard permissions.count < TURNPermission.limit, !permissions.contains(where: { $0.address == address }) else {
      return
    }
    permissions.append(TURNPermission(address: address, due: now))
  }

  /// Requests a channel to the peer and drops any other.
  ///
  /// Numbers are never given to another peer, so a late packet cannot be taken for another's (RFC 8656 §12). When they
  /// are used up, Send indications serve.
  mutating func bind(_ peer: TransportAddress, now: MonotonicInstant) {
    for index in channels.indices { channels[index].isWanted = false }
    if let index = channels.firstIndex(where: { $0.peer == peer }) {
      channels[index].isWanted = true
      channels[index].due = now
    } else if channels.count < ChannelData.channels.count {
      let number = ChannelData.channels.lowerBound + UInt16(channels.count)
      channels.append(TURNChannel(number: number, peer: peer, due: now))
    }
    refreshCurrent()
  }

  /// The channel to send to the peer on.
  func channel(to peer: TransportAddress) -> UInt16? {
    guard let current, current.peer == peer else { return nil }
    return current.number
  }

  private mutating func refreshCurrent() {
    current = channels.first { $0.isBound && $0.isWanted }.map { ($0.peer, $0.number) }
  }

  func peer(of channel: UInt16) -> TransportAddress? {
    if let current, current.number == channel { return current.peer }
    return channels.first { $0.number == channel }?.peer
  }

  var deadline: MonotonicInstant {
    let channel = channels.lazy.filter { $0.isWanted }.map { $0.due }.min() ?? .distantFuture
    return min(permissions.lazy.map { $0.due }.min() ?? .distantFuture, channel)
  }
}

extension TURNPeers {
  /// Takes a permission that is due: its request is pending from now on.
  mutating func takePermission(now: MonotonicInstant) -> TransportAddress? {
    guard let index = permissions.firstIndex(where: { $0.due <= now }) else { return nil }
    permissions[index].due = .distantFuture
    return permissions[index].address
  }

  /// As ``takePermission(now:)`` for a channel.
  mutating func takeChannel(now: MonotonicInstant) -> TURNChannel? {
    guard let index = channels.firstIndex(where: { $0.isWanted && $0.due <= now }) else { return nil }
    channels[index].due = .distantFuture
    return channels[index]
  }

  /// - Parameter due: when to ask for it again.
  mutating func setPermission(_ address: TransportAddress, due: MonotonicInstant) {
    guard let index = permissions.firstIndex(where: { $0.address == address }) else { return }
    permissions[index].due = due
  }

  mutating func setChannel(_ number: UInt16, isBound: Bool, due: MonotonicInstant) {
    guard let index = channels.firstIndex(where: { $0.number == number }) else { return }
    channels[index].isBound = isBound
    channels[index].due = due
    refreshCurrent()
  }
}

extension TransportAddress {
  var withoutPort: TransportAddress {
    var address = self
    address.port = 0
    return address
  }
}
