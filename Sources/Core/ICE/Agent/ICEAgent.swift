public import MediaCore
public import TransportCrypto

/// One side of Interactive Connectivity Establishment (RFC 8445) for one component, sans-IO.
///
/// The agent owns no socket, timer, clock or source of randomness. Hand it candidates, credentials, STUN datagrams
/// and the time; after each call drain ``takeTransmit(into:)`` and ``takeEvent()`` and read ``deadline``. Media
/// datagrams never enter it, but ``notePacket(from:to:now:)`` tells it of those that proved authentic.
///
/// It trickles (RFC 8838): remote candidates may come at any time or never, since the addresses from which a peer's
/// authentic checks arrive serve as well. Checks that arrive before the peer's credentials are answered and
/// remembered. Everything a peer can make it store is bounded.
public struct ICEAgent {
  let configuration: ICEConfiguration
  let crypto: any CryptoPrimitives
  public internal(set) var role: ICERole
  var tieBreaker: UInt64
  var credentials: CredentialSet
  /// From before a restart, for as long as the old path is in use.
  var previousCredentials: CredentialSet?
  /// Our own, as they are or should be signalled.
  public internal(set) var localCandidates: [ICECandidate] = []
  var remoteCandidates: [ICECandidate] = []
  var earlyChecks: [EarlyCheck] = []
  var checklist = Checklist()
  var transactions = TransactionTable()
  var phase = Phase.idle
  var selected: SelectedPath?
  /// When a new check may leave next.
  var nextCheck = MonotonicInstant(nanoseconds: .min)
  /// When the controlling side stops waiting for a better pair.
  var nominationDeadline: MonotonicInstant?
  var outgoing = BoundedQueue<Outgoing>(capacity: 128)
  var events = BoundedQueue<ICEEvent>(capacity: 32)

  /// When ``handleTimeout(now:)`` wants to be called, or nil.
  public internal(set) var deadline: MonotonicInstant?
  /// What that is for.
  public internal(set) var deadlineReason: ICEDeadlineReason?

  /// - Parameters:
  ///   - role: controlling if our side made the offer (RFC 8445 §6.1.1).
  ///   - credentials: our own, see ``ICECredentials/make(crypto:)``.
  public init(
    role: ICERole, credentials: ICECredentials, crypto: any CryptoPrimitives,
    configuration: ICEConfiguration = ICEConfiguration()
  ) {
    self.role = role
    self.crypto = crypto
    self.configuration = configuration
    self.credentials = CredentialSet(credentials, generation: 0)
    tieBreaker = crypto.randomUInt64()
  }
}

extension ICEAgent {
  /// How far the search for a path has come.
  enum Phase: Equatable {
    /// The peer's credentials are not known.
    case idle
    case checking(deadline: MonotonicInstant)
    case connected
    case disconnected(deadline: MonotonicInstant)
    case failed
  }

  /// The path in use, by value: it outlives its pair across a restart.
  struct SelectedPath {
    var path: ICESelectedPair
    /// Nil after a restart.
    var pair: PairID?
    var generation: UInt8
    var localPriority: UInt32
    var since: MonotonicInstant
    var consent: ConsentFreshness
  }

  /// The path to send media on; nil while there is none or the peer's consent has run out.
  public var selectedPair: ICESelectedPair? { selected?.path }

  /// Whether `remote` is an address of the peer: signalled, or learnt from an authentic check or packet.
  public func isPeer(_ remote: TransportAddress) -> Bool {
    selected?.path.remote == remote || checklist.pairs.contains { $0.remote == remote }
  }

  /// Whether a path is being looked for, at first or after a restart.
  public var isChecking: Bool {
    if case .checking = phase { true } else { false }
  }

  /// Whether the selected path has fallen silent, or answers nothing.
  public var isPathInDoubt: Bool { selected?.consent.suspectSince != nil }

  /// How many pairs have been made so far: when it changes, ``forEachRemote(pairedWith:_:)`` may tell of others.
  public var pairCount: UInt32 { checklist.nextID }

  /// Tells the peer's addresses that are paired with one of ours.
  public func forEachRemote(pairedWith local: TransportAddress, _ body: (TransportAddress) -> Void) {
    for pair in checklist.pairs where pair.local == local { body(pair.remote) }
  }

  /// Whether the peer is known, but under no IPv4 address.
  public var isPeerIPv6Only: Bool { !remoteCandidates.isEmpty && remoteCandidates.allSatisfy { $0.address.isIPv6 } }

  /// Whether there is any pair left to find a path with.
  public var hasPairs: Bool { !checklist.pairs.isEmpty }

  /// Our credentials.
  public var localCredentials: ICECredentials { credentials.local }

  /// Our credentials from before a restart, while checks made with them still have to reach this agent.
  public var previousLocalCredentials: ICECredentials? { previousCredentials?.local }

  public var remoteCredentials: ICECredentials? { credentials.remote }

  func credentialSet(_ generation: UInt8) -> CredentialSet? {
    if generation == credentials.generation { return credentials }
    return previousCredentials?.generation == generation ? previousCredentials : nil
  }
}

extension ICEAgent {
  /// Takes one STUN datagram; everything else is ignored.
  ///
  /// - Parameter local: the local address at which it arrived.
  /// - Returns: whether the datagram proved to come from the peer.
  @discardableResult
  public mutating func handleDatagram(
    _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant
  ) -> Bool {
    guard let message = try? STUNMessage(datagram), message.header.method == .binding else { return false }
    let isAuthentic: Bool
    switch message.header.messageClass {
    case .request: isAuthentic = handleRequest(message, datagram, from: remote, to: local, now: now)
    case .successResponse, .errorResponse:
      isAuthentic = handleResponse(message, datagram, from: remote, to: local, now: now)
    case .indication: return false
    }
    handleTimeout(now: now)
    return isAuthentic
  }

  /// Takes what the agent has to report, oldest first.
  public mutating func takeEvent() -> ICEEvent? { events.popFirst() }
}
