public import ICE
public import MediaCore
import RTP
public import SDP
import TransportCrypto

/// One WebRTC session with one peer, sans-IO: ICE, DTLS, SRTP and BUNDLEd RTP behind datagrams, frames and the time.
///
/// It agrees with the peer by offers and answers, and has a `PeerTransport` and an `RTPSession` follow what is
/// agreed.
///
/// After each call the owner drains ``takeEvent()`` and reads ``deadline``. Datagrams leave through the
/// ``DatagramSink``, received frames through the ``ReceivedFrameSink``, both during the call. Confined to one thread.
public final class PeerSession {
  private let configuration: PeerSessionConfiguration
  private let crypto: any CryptoPrimitives
  private let fingerprint: CertificateFingerprint
  private var negotiation: Negotiation
  private var streams = NegotiatedStreams([])
  private let transport: PeerTransport
  private let rtp: RTPSession
  private var events = PeerSessionEventQueue()
  private var pathWatch = PathWatch()
  private var isEnded = false

  /// Answers an offer. Nothing is sent before the peer's first check, or before its candidates are known.
  ///
  /// ``localDescription`` is the answer.
  ///
  /// - Throws: ``PeerSessionError`` when the offer cannot be answered.
  public convenience init(
    offer: String, configuration: PeerSessionConfiguration, dependencies: PeerSessionDependencies,
    now: MonotonicInstant
  ) throws(PeerSessionError) {
    let negotiation = try Negotiation(answering: offer, configuration, crypto: dependencies.crypto)
    self.init(negotiation, configuration, dependencies, now: now)
    try makeAssociation(negotiation.agreement)
    followAgreement(after: nil, now: now)
  }

  /// Makes an offer; ``localDescription`` is it, and ``accept(answer:now:)`` has to follow.
  ///
  /// Checks of the peer that come before its answer are answered; nothing else is sent.
  public convenience init(
    offering configuration: PeerSessionConfiguration, dependencies: PeerSessionDependencies, now: MonotonicInstant
  ) {
    let negotiation = Negotiation(offering: configuration, crypto: dependencies.crypto)
    self.init(negotiation, configuration, dependencies, now: now)
  }

  private init(
    _ negotiation: Negotiation, _ configuration: PeerSessionConfiguration, _ dependencies: PeerSessionDependencies,
    now: MonotonicInstant
  ) {
    self.configuration = configuration
    self.negotiation = negotiation
    crypto = dependencies.crypto
    fingerprint = dependencies.dtls.fingerprint
    transport = PeerTransport(
      configuration, dependencies, role: negotiation.iceRole, credentials: negotiation.credentials, now: now)
    rtp = RTPSession(
      configuration, sources: negotiation.sources, crypto: crypto, frames: dependencies.frames,
      datagrams: transport.output)
  }

  // MARK: Events

  /// Takes the next event, oldest first.
  public func takeEvent() -> PeerSessionEvent? { events.popFirst() ?? rtp.takeEvent() }

  /// What the session has carried so far.
  public var statistics: PeerSessionStatistics {
    var result = rtp.statistics
    result.packetsRefused += transport.refusedPacketCount
    return result
  }

  /// Acts on what the transport reports, and reports it in turn.
  private func followTransport(now: MonotonicInstant) {
    while let event = transport.takeEvent() { handle(event, now: now) }
    transport.measuring = rtp.pathMeasuring
  }

  private func handle(_ event: TransportEvent, now: MonotonicInstant) {
    switch event {
    case .connected:
      pathWatch.end()
      events.append(.connected)
      rtp.start(now: now)
    case .gathering(let event):
      report(event)
    case .roundTrip(let sample):
      rtp.notePathRoundTrip(sample, now: now)
    case .roundTripPending(let span):
      rtp.notePendingRoundTrip(span, now: now)
    case .restartUseful:
      if negotiation.pending == nil { events.append(.restartNeeded) }
    case .ended(let reason):
      isEnded = true
      pathWatch.end()
      rtp.stop()
      events.append(.ended(reason))
    }
  }

  private func report(_ event: GatheringEvent) {
    switch event {
    case .gathered(let candidate): events.append(.candidateGathered("\(Candidate(local: candidate))"))
    case .complete: events.append(.candidateGathered(""))
    case .relayAllocated(let link): events.append(.relayAllocated(link))
    case .relayReplaced(let link): events.append(.relayReplaced(link))
    case .relayFailed(let link, let failure): events.append(.relayFailed(link, failure))
    case .pathWanted: break
    }
  }

  // MARK: Time

  /// When to call ``handleTimeout(now:)`` next.
  public var deadline: MonotonicInstant {
    guard !isEnded else { return .distantFuture }
    let pending = negotiation.pending?.deadline ?? .distantFuture
    return min(transport.deadline, pending, rtp.deadline, pathWatch.deadline)
  }

  /// Does due work.
  public func handleTimeout(now: MonotonicInstant) {
    guard !isEnded else { return }
    transport.handleTimeout(withReports: rtp.areReportsDue(now: now), now: now)
    followTransport(now: now)
    rollBackIfDue(now: now)
    if let problem = pathWatch.takeProblem(isChecked: transport.hasPath, now: now) {
      events.append(.pathMissing(problem))
    }
    rtp.handleTimeout(now: now)
  }

  /// Says goodbye and ends; ``PeerSessionEvent/ended(_:)`` follows.
  public func close(now: MonotonicInstant) {
    guard !isEnded else { return }
    rtp.sendGoodbye(now: now)
    transport.close()
    followTransport(now: now)
  }
}

// MARK: - Offers and answers

extension PeerSession {
  /// How long without an answer until an offer within the session is rolled back.
  private static var offerTimeout: TimeSpan { .seconds(10) }

  /// The description for the peer: the offer that waits for its answer, else the last answer. Later calls may have more
  /// candidates.
  public var localDescription: String {
    negotiation.description(configuration, fingerprint: fingerprint, candidates: transport.localCandidates)
  }

  /// The kinds that are sent, as the last answer has it.
  public var sentKinds: Set<MediaKind> { streams.sentKinds }

  /// The kinds that the peer may send, as the last answer has it.
  public var receivedKinds: Set<MediaKind> { streams.receivedKinds }

  /// Media that the peer's last offer and this side want, but that are not agreed.
  public var missingMedia: [RefusedMedia] { negotiation.agreement?.missingMedia ?? [] }

  /// Malformed lines of the peer's last offer that were skipped.
  public var skippedLines: [SDPError] { negotiation.agreement?.skippedLines ?? [] }

  /// Whether the peer takes candidates after the description (RFC 8838); true before it has described itself.
  public var isTrickling: Bool { negotiation.agreement?.transport.canTrickle ?? true }

  /// What the peer's connectivity checks are addressed to: the present fragment and, after a restart of ICE, the one
  /// before.
  public var localUsernameFragments: [UsernameFragment] {
    transport.localCredentials.compactMap { UsernameFragment($0.usernameFragment) }
  }

  /// Answers a later offer of the peer, which may change directions, restart ICE, add or remove kinds.
  ///
  /// An offer that comes while one of this side waits: the side that answered first in the session takes its own back,
  /// the other refuses (RFC 8829 §4.1.10.2).
  ///
  /// - Throws: ``PeerSessionError``; then the session continues unchanged.
  public func renegotiate(offer: String, now: MonotonicInstant) throws(PeerSessionError) -> String {
    guard !isEnded else { throw .ended }
    guard negotiation.pending == nil || !negotiation.isOfferer else { throw .offerPending }
    let givesWay = negotiation.pending != nil
    try commit(negotiation.answering(offer, configuration, crypto: crypto), now: now)
    if givesWay { wantRestartAgain(now: now) }
    return localDescription
  }

  /// Takes the peer's answer to the offer of this side.
  ///
  /// - Throws: ``PeerSessionError``; then the session continues unchanged, and the offer waits for another answer.
  public func accept(answer: String, now: MonotonicInstant) throws(PeerSessionError) {
    guard !isEnded else { throw .ended }
    try commit(negotiation.accepting(answer), now: now)
  }

  /// Makes an offer that restarts ICE (RFC 8445 §9); nil where one is pending, or nothing is agreed yet.
  ///
  /// The path in use carries on until ``accept(answer:now:)`` has led to another. Without an answer the offer is taken
  /// back after 10 s.
  public func restartICE(now: MonotonicInstant) -> String? {
    guard !isEnded,
      let next = negotiation.restarting(configuration, crypto: crypto, deadline: now + Self.offerTimeout)
    else { return nil }
    negotiation = next
    return localDescription
  }

  /// Rolls back an offer that was not answered in time. One that is still needed is requested again: signalling may
  /// have been away with the path.
  private func rollBackIfDue(now: MonotonicInstant) {
    guard let pending = negotiation.pending, pending.deadline <= now else { return }
    negotiation = negotiation.rolledBack
    wantRestartAgain(now: now)
  }

  private func wantRestartAgain(now: MonotonicInstant) {
    transport.wantRestartAgain()
    followTransport(now: now)
  }

  private func commit(_ next: Negotiation, now: MonotonicInstant) throws(PeerSessionError) {
    // All that can fail comes first.
    try makeAssociation(next.agreement)
    let before = negotiation.agreement
    negotiation = next
    followAgreement(after: before, now: now)
  }

  private func makeAssociation(_ agreement: NegotiatedSession?) throws(PeerSessionError) {
    guard let agreed = agreement?.transport else { return }
    try transport.makeAssociation(role: agreed.role, remote: agreed.remoteFingerprints)
  }

  /// Applies the agreement.
  private func followAgreement(after before: NegotiatedSession?, now: MonotonicInstant) {
    guard let agreement = negotiation.agreement else { return }
    follow(agreement.transport, after: before?.transport, now: now)
    streams = NegotiatedStreams(agreement.media)
    rtp.follow(streams, now: now)
    transport.sendChecks(now: now)
    followTransport(now: now)
  }

  private func follow(_ agreed: NegotiatedTransport, after before: NegotiatedTransport?, now: MonotonicInstant) {
    pathWatch.begin(now: now)
    for candidate in agreed.remoteCandidates { pathWatch.note(candidate) }
    if let before, agreed.restartsICE(after: before) {
      transport.restartICE(credentials: negotiation.credentials, now: now)
    }
    transport.setRemote(
      ICECredentials(usernameFragment: agreed.remoteUsernameFragment, password: agreed.remotePassword),
      candidates: agreed.remoteCandidates.compactMap(ICECandidate.init(remote:)), now: now)
  }
}

// MARK: - Candidates

extension PeerSession {
  /// Adds a trickled candidate (the `candidate:` attribute's value, with or without its name).
  ///
  /// Unusable ones (TCP, mDNS names, other components, from before a restart, garbage) are ignored: a path may
  /// exist without it.
  public func addRemoteCandidate(_ text: String, now: MonotonicInstant) {
    guard !isEnded, let parsed = Candidate(parsing: text), belongsToPresentGeneration(parsed) else { return }
    pathWatch.note(parsed)
    guard let candidate = ICECandidate(remote: parsed) else { return }
    transport.addRemoteCandidate(candidate, now: now)
    followTransport(now: now)
  }

  /// Candidates that name no generation count as the current one (RFC 8839 §5.1).
  private func belongsToPresentGeneration(_ candidate: Candidate) -> Bool {
    guard let fragment = candidate.usernameFragment, let remote = transport.remoteCredentials else { return true }
    return fragment == remote.usernameFragment
  }

  /// Takes the addresses that the shared sockets have now, best first.
  ///
  /// New ones become candidates, which ``PeerSessionEvent/candidateGathered(_:)`` reports; those that are gone are no
  /// longer tried. A connected session reports ``PeerSessionEvent/restartNeeded``: only a restart tells the peer what
  /// is gone. Under ``ICETransportPolicy/relay`` they are no candidates. The owner queries again those servers that it
  /// has to.
  public func changeLocalAddresses(_ addresses: [TransportAddress], now: MonotonicInstant) {
    guard !isEnded else { return }
    transport.changeLocalAddresses(addresses, now: now)
    followTransport(now: now)
  }

  /// Asks a STUN server, over each shared socket of its family, which address this side is seen under.
  ///
  /// The reported address becomes a candidate. Nothing keeps the address alive but ICE's own checks.
  public func askReflexiveAddress(of server: TransportAddress, now: MonotonicInstant) {
    guard !isEnded else { return }
    transport.askReflexiveAddress(of: server, now: now)
    followTransport(now: now)
  }

  /// A connection to a TURN server is up: requests an allocation there.
  ///
  /// ``PeerSessionEvent/relayAllocated(_:)`` follows, or ``PeerSessionEvent/relayFailed(_:_:)`` if there is none, also
  /// later on.
  ///
  /// - Parameter predecessor: a relay in whose place this one comes. It carries on until the path leads elsewhere;
  ///   ``PeerSessionEvent/relayReplaced(_:)`` reports when that is so.
  public func openRelay(
    _ link: TURNConnectionID, _ server: TURNServerEndpoint, after predecessor: TURNConnectionID? = nil,
    now: MonotonicInstant
  ) {
    guard !isEnded else { return }
    transport.openRelay(link, server, after: predecessor, now: now)
  }

  /// The connection to a TURN server is gone, or did not come up.
  public func closeRelay(_ link: TURNConnectionID, now: MonotonicInstant) {
    guard !isEnded else { return }
    transport.closeRelay(link, now: now)
    followTransport(now: now)
  }

  /// No more servers will be named: once those named have answered or been given up, gathering is complete.
  public func endServers(now: MonotonicInstant) {
    guard !isEnded else { return }
    transport.endServers()
    followTransport(now: now)
  }
}

// MARK: - Datagrams

extension PeerSession {
  /// Whose session a connectivity check is for, or nil when the datagram is none.
  ///
  /// For an owner of many sessions: unauthenticated datagrams can be dropped before any state is made.
  public static func usernameFragment(addressedBy datagram: RawSpan) -> UsernameFragment? {
    receiverFragment(of: datagram)
  }

  /// Whether a datagram is STUN, and so may answer a check of one of the sessions.
  public static func isCheckResponse(_ datagram: RawSpan) -> Bool { isSTUN(datagram) }

  /// The source (SSRC) that an RTP or RTCP packet names, in the clear and so without proof (RFC 3550 §5.1, §6.4.1); nil
  /// for other datagrams.
  ///
  /// For an owner of many sessions: a peer that has moved sends from an unknown address.
  public static func source(of datagram: RawSpan) -> UInt32? { PacketInput.source(of: datagram) }

  /// How many sources of authentic packets are known. Bounded; they stay in their order.
  public var sourceCount: Int { transport.sources.count }

  /// - Parameter index: below ``sourceCount``.
  public func source(at index: Int) -> UInt32 { transport.sources[index] }

  /// Takes one datagram that came to a shared socket, and may change it in place.
  ///
  /// - Returns: whether it proved to come from the peer, so that its source address may be remembered.
  @discardableResult
  public func receive(
    _ datagram: inout MutableRawSpan, from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant
  ) -> Bool {
    let isAuthentic = transport.receive(&datagram, from: remote, to: local, now: now, deliveringTo: rtp)
    followTransport(now: now)
    return isAuthentic
  }

  /// Takes input from a connection to a TURN server: a datagram, or the next octets of a stream. May be changed in
  /// place.
  public func receive(_ octets: inout MutableRawSpan, over link: TURNConnectionID, now: MonotonicInstant) {
    transport.receive(&octets, over: link, now: now, deliveringTo: rtp)
    followTransport(now: now)
  }
}

// MARK: - Media

extension PeerSession {
  /// Whether frames of video would be sent: the peer takes it, and there is a path.
  public var takesVideo: Bool { rtp.takesVideo }

  /// Sends a packet of encoded audio to the peer, if it takes any.
  public func send(audio frame: EncodedFrameHeader, payload: RawSpan, now: MonotonicInstant) {
    rtp.send(audio: frame, payload: payload, now: now)
  }

  /// Sends an encoded frame to the peer, if it takes video, and keeps it for a while to send parts of it again.
  public func send(video frame: EncodedFrameHeader, payload: FramePayload, now: MonotonicInstant) {
    transport.noteFrame(now: now)
    followTransport(now: now)
    rtp.send(video: frame, payload: payload, now: now)
  }

  /// Asks the peer for a key frame, for example because a recording starts.
  public func requestKeyFrame(now: MonotonicInstant) { rtp.requestKeyFrame(now: now) }

  /// Requests key frames from the peer at least this often, so that its recording is seekable; nil ends that.
  public func setKeyFrameInterval(_ interval: TimeSpan?) { rtp.setKeyFrameInterval(interval) }

  /// Sends this many temporal layers of the video from now on; 0 makes it a still frame.
  public func setVideoLayers(_ count: Int) { rtp.setVideoLayers(count) }

  /// Frames come from another encoder from now on, beginning with its next key frame; to the peer it is one stream.
  public func changeVideoSource() { rtp.changeVideoSource() }
}
