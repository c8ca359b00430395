public import MediaCore
public import TransportCrypto

/// One side of Interactive Connectivity Establishment (RFC 8445) for one component, sans-IO.
///
/// The agent owns no socket, timer, clock or source of randomness. Hand it candidates, credentials, STUN datagrams
/// and the time; after each call drain ``takeTransmit(into:)`` and ``takeEvent()`` and read ``deadline``. Media
/// datagrams never enter it, but ``notePacket(from:to:now:)`` reports those that proved authentic.
///
/// It trickles (RFC 8838): remote candidates may come at any time or never, since the addresses from which a peer's
/// authentic checks arrive serve as well. Checks that arrive before the peer's credentials are answered and
/// remembered. Everything a peer can make it store is bounded.
public struct ICEAgent {
  let configuration: ICEConfiguration
  var credentials: CredentialGenerations
  var earlyChecks = EarlyChecks()
  var checks: ConnectivityChecks
  var phase = Phase.idle
  var selected: SelectedPath?
  /// What the last answer to a measurement has shown.
  var roundTrip: TimeSpan?
  var nomination = Nomination()
  var events = BoundedQueue<ICEEvent>(capacity: 32)
  private var nextDeadline = EarliestDeadline()

  /// - Parameters:
  ///   - role: controlling if our side made the offer (RFC 8445 §6.1.1).
  ///   - credentials: our own, see ``ICECredentials/make(crypto:)``.
  public init(
    role: ICERole, credentials: ICECredentials, crypto: any CryptoPrimitives,
    configuration: ICEConfiguration = ICEConfiguration()
  ) {
    self.configuration = configuration
    self.credentials = CredentialGenerations(credentials)
    checks = ConnectivityChecks(role: role, crypto: crypto, configuration: configuration)
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

  var checklist: Checklist {
    get { checks.checklist }
    _modify { yield &checks.checklist }
  }

  /// The role now; a conflict with the peer may change it (RFC 8445 §7.3.1.1).
  public var role: ICERole { checks.role }

  /// Local candidates, as they are or should be signalled.
  public var localCandidates: [ICECandidate] { checklist.candidates.local }

  /// The path to send media on; nil while there is none or the peer's consent has run out.
  public var selectedPair: ICESelectedPair? { selected?.path }

  /// Whether `remote` is an address of the peer: signalled, or learnt from an authentic check or packet.
  public func isPeer(_ remote: TransportAddress) -> Bool {
    selected?.path.remote == remote || checklist.pairs.contains { $0.remote == remote }
  }

  /// Whether a path is being searched for, at first or after a restart.
  public var isChecking: Bool {
    if case .checking = phase { true } else { false }
  }

  /// Whether the selected path has fallen silent, or answers nothing.
  public var isPathSuspected: Bool { selected?.consent.suspectSince != nil }

  /// How many pairs have been made so far: when it changes, ``forEachRemote(pairedWith:_:)`` may yield others.
  public var pairCount: UInt32 { checklist.nextID }

  /// Passes on the peer's addresses that are paired with one of ours.
  public func forEachRemote(pairedWith local: TransportAddress, _ body: (TransportAddress) -> Void) {
    for pair in checklist.pairs where pair.local == local { body(pair.remote) }
  }

  /// Whether the peer is known, but under no IPv4 address.
  public var isPeerIPv6Only: Bool {
    let remote = checklist.candidates.remote
    return !remote.isEmpty && remote.allSatisfy { $0.address.isIPv6 }
  }

  /// Whether there is any pair left to find a path with.
  public var hasPairs: Bool { !checklist.pairs.isEmpty }

  /// Our credentials.
  public var localCredentials: ICECredentials { credentials.current.local }

  /// Our credentials from before a restart, while checks made with them still have to reach this agent.
  public var previousLocalCredentials: ICECredentials? { credentials.previous?.local }

  /// The peer's credentials; nil until they are signalled.
  public var remoteCredentials: ICECredentials? { credentials.current.remote }
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

  /// Writes the next datagram to send to the front of `buffer` (at least 600 octets); nil when none waits.
  public mutating func takeTransmit(into buffer: inout MutableRawSpan) -> ICETransmit? {
    checks.takeTransmit(into: &buffer, credentials)
  }
}

// MARK: - Time

extension ICEAgent {
  /// When to call ``handleTimeout(now:)``, or nil.
  public var deadline: MonotonicInstant? { nextDeadline.instant }

  /// What that is for.
  public var deadlineReason: ICEDeadlineReason? { nextDeadline.reason }

  /// Does everything whose time has come. Calling it early does no harm.
  public mutating func handleTimeout(now: MonotonicInstant) {
    checks.repeatDue(above: checkFloor, generation: generation, now: now)
    keepConsent(now: now)
    suspectSilentPath(now: now)
    leaveSilentPath(now: now)
    takeAnsweringPath(now: now)
    nominateIfDue(now: now)
    giveUpIfDue(now: now)
    // Last, since the steps before may leave pairs to check.
    if isActive { checks.startNext(above: checkFloor, generation: generation, now: now) }
    refreshDeadline(now: now)
  }

  mutating func refreshDeadline(now: MonotonicInstant) {
    nextDeadline = EarliestDeadline()
    if isActive { checks.noteDeadlines(above: checkFloor, in: &nextDeadline, now: now) }
    if case .checking(let limit) = phase { nextDeadline.note(limit, .connectTimeout) }
    if case .disconnected(let limit) = phase { nextDeadline.note(limit, .connectTimeout) }
    if let deadline = nomination.deadline, deadline > now { nextDeadline.note(deadline, .nomination) }
    if let selected { nextDeadline.note(selected.consent, now: now, configuration) }
  }

  /// The generation of the credentials for new checks.
  var generation: UInt8 { credentials.current.generation }

  /// Whether checks may leave at all.
  private var isActive: Bool { phase != .idle && phase != .failed }

  /// Pairs not above this priority need no checks of their own accord any more.
  ///
  /// With a path selected, the controlled side keeps checking better pairs, since the peer may still choose one.
  private var checkFloor: UInt64 {
    guard let current = selected, phase == .connected, current.consent.suspectSince == nil else { return 0 }
    guard role == .controlled, let index = current.pair.flatMap(checklist.index(of:)) else { return .max }
    return checklist[index].priority
  }

  private mutating func giveUpIfDue(now: MonotonicInstant) {
    switch phase {
    case .checking(let deadline) where now >= deadline && selected != nil:
      // A restart that brought nothing; the path of before still answers.
      phase = .connected
    case .checking(let deadline) where now >= deadline:
      fail(checklist.pairs.contains { $0.lastSuccess != nil } ? .noNomination : .noAnswer)
    case .disconnected(let deadline) where now >= deadline:
      fail(.connectionLost)
    case .idle, .checking, .connected, .disconnected, .failed: return
    }
  }

  private mutating func fail(_ reason: ICEFailure) {
    phase = .failed
    selected = nil
    checklist.removeAll()
    events.append(.failed(reason))
  }
}
