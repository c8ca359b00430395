public import MediaCore
public import TransportCrypto

/// The client's side of one allocation on a TURN server (RFC 8656), sans-IO.
///
/// After each call drain ``takeTransmit(into:)`` and read ``deadline``, ``relayedAddress`` and ``failure``. Over UDP
/// requests are repeated; over a stream each has a time limit. Data leaves in Send indications until a channel is
/// bound, then as ChannelData. Nothing is allocated for data; everything that waits is bounded.
public struct TURNClient {
  /// The longest wait for an answer over a stream.
  static let streamTimeout = TimeSpan.seconds(10)

  let configuration: ICEConfiguration
  let crypto: any CryptoPrimitives
  let isStream: Bool
  var credentials: TURNCredentials
  var wantsIPv6: Bool
  /// The server has refused one family already.
  var hasChangedFamily = false
  var state = State.idle
  var peers = TURNPeers()
  var transactions: [TURNTransaction] = []
  /// Requests that wait to be written.
  var outgoing = BoundedQueue<STUNTransactionID>(capacity: 64)

  /// When to call ``handleTimeout(now:)``.
  public internal(set) var deadline = MonotonicInstant.distantFuture

  enum State {
    case idle
    case allocating
    case allocated(relayed: TransportAddress, refresh: MonotonicInstant)
    case released
    case failed(TURNFailure)
  }

  /// - Parameters:
  ///   - isStream: the server is reached over TCP or TLS.
  ///   - wantsIPv6: requests IPv6 first, of the two families that a server may relay.
  public init(
    username: String, password: String, isStream: Bool, wantsIPv6: Bool = false, crypto: any CryptoPrimitives,
    configuration: ICEConfiguration = ICEConfiguration()
  ) {
    credentials = TURNCredentials(username: username, password: password)
    self.isStream = isStream
    self.wantsIPv6 = wantsIPv6
    self.crypto = crypto
    var configuration = configuration
    if isStream { configuration.maximumTransmissions = 1 }
    self.configuration = configuration
  }

  /// The address that peers see; nil while there is no allocation.
  public var relayedAddress: TransportAddress? {
    if case .allocated(let relayed, _) = state { relayed } else { nil }
  }

  /// Why there will be no allocation, or no longer is one; final.
  public var failure: TURNFailure? {
    if case .failed(let failure) = state { failure } else { nil }
  }
}

extension TURNClient {
  /// Requests an allocation; call once.
  public mutating func start(now: MonotonicInstant) {
    guard case .idle = state else { return }
    state = .allocating
    send(.allocate, now: now)
    refreshDeadline()
  }

  /// Requests relaying to and from a peer's address, for any port; requested as soon as there is an
  /// allocation.
  public mutating func permit(_ peer: TransportAddress, now: MonotonicInstant) {
    peers.permit(peer, now: now)
    handleTimeout(now: now)
  }

  /// Requests a channel for datagrams to a peer, in place of any other channel.
  public mutating func bindChannel(to peer: TransportAddress, now: MonotonicInstant) {
    peers.bind(peer, now: now)
    handleTimeout(now: now)
  }

  /// Asks whether the allocation still exists, by refreshing it ahead of time: who is in doubt learns it in a round
  /// trip.
  public mutating func verify(now: MonotonicInstant) {
    guard case .allocated(let relayed, let refresh) = state, refresh != .distantFuture else { return }
    state = .allocated(relayed: relayed, refresh: now)
    handleTimeout(now: now)
  }

  /// Gives the allocation back; the request is sent once, since the answer is not awaited.
  public mutating func release() {
    transactions.removeAll()
    if case .allocated = state {
      transactions.append(makeTransaction(.release, backOff: STUNRetransmissionTimer()))
      outgoing.append(transactions[0].id)
    }
    if failure == nil { state = .released }
    refreshDeadline()
  }

  /// The connection or its octets cannot be used any more.
  public mutating func fail(_ reason: TURNFailure) {
    guard failure == nil else { return }
    state = .failed(reason)
    transactions.removeAll()
    refreshDeadline()
  }
}
