import ICE
import MediaCore
import TransportCrypto

/// Carries datagrams between this side and one peer, sans-IO: ICE finds the path, DTLS makes the keys, SRTP protects
/// what passes (RFC 8445, 8842, 5764). Knows nothing of what the packets carry.
///
/// After each call the owner drains ``takeEvent()``. Confined to one thread.
final class PeerTransport {
  private enum Phase {
    case connecting, connected, ended
  }

  /// The way out, for protected packets as well.
  let output: DatagramOutput
  private let protection: any PacketProtectionMaking
  private let associations: any DTLSAssociationMaking
  private var input = PacketInput()
  private var agent: ICEAgent
  private let gatherer: CandidateGatherer
  private var dtls = DTLSTransport()
  private var phase = Phase.connecting
  /// As of the last check of the agent.
  private var isICEChecking = false
  private var events: [TransportEvent] = []
  /// When checks over the path in use measure its round trip.
  var measuring = PathMeasuring.never
  private var lastMeasurement: MonotonicInstant?

  init(
    _ configuration: PeerSessionConfiguration, _ dependencies: PeerSessionDependencies, role: ICERole,
    credentials: ICECredentials, now: MonotonicInstant
  ) {
    let relays = TURNAllocations()
    output = DatagramOutput(network: dependencies.network, relays: relays)
    protection = dependencies.protection
    associations = dependencies.dtls
    gatherer = CandidateGatherer(
      hosts: SharedSocketAddresses(list: configuration.localAddresses, policy: configuration.transportPolicy),
      namesServers: configuration.namesServers, relays: relays, output: output, crypto: dependencies.crypto)
    agent = ICEAgent(role: role, credentials: credentials, crypto: dependencies.crypto)
    gatherer.addHosts(to: &agent, now: now)
  }

  /// Whether checks have found a path, be it secured or not.
  var hasPath: Bool { agent.selectedPair != nil }

  /// Takes the next event, oldest first.
  func takeEvent() -> TransportEvent? { events.isEmpty ? nil : events.removeFirst() }

  /// When to call ``handleTimeout(withReports:now:)`` next.
  var deadline: MonotonicInstant {
    min(agent.deadline ?? .distantFuture, dtls.deadline, gatherer.deadline, measurementDeadline)
  }

  /// Does due work.
  ///
  /// - Parameter withReports: the owner is awake to send reports. Packets received since the last ones then put off the
  ///   time when silence would count, which saves a wake.
  func handleTimeout(withReports: Bool, now: MonotonicInstant) {
    guard phase != .ended else { return }
    gather { gatherer.handleTimeout(&$0, now: now) }
    if measuring != .never { measureIfDue(now: now) }
    if withReports || agent.deadline ?? .distantFuture <= now { agent.handleTimeout(now: now) }
    flushICE(now: now)
    dtls.handleTimeout(now: now)
    flushDTLS(now: now)
  }

  /// Notifies the peer that this side closes, and ends.
  func close() {
    dtls.close()
    dtls.sendDatagrams(through: output)
    end(.closed)
  }

  private func end(_ reason: PeerSessionEnd) {
    guard phase != .ended else { return }
    phase = .ended
    output.path = nil
    gatherer.releaseAll()
    events.append(.ended(reason))
  }
}

// MARK: - What offer and answer say

extension PeerTransport {
  /// This side's candidates so far, and whether they are all.
  var localCandidates: (list: [ICECandidate], areAll: Bool) { (agent.localCandidates, gatherer.isComplete) }

  /// Ours, and while checks may still be made with them, those from before a restart.
  var localCredentials: [ICECredentials] {
    [agent.localCredentials, agent.previousLocalCredentials].compactMap { $0 }
  }

  /// The peer's, once they are described.
  var remoteCredentials: ICECredentials? { agent.remoteCredentials }

  /// Makes the DTLS association, unless there is one.
  ///
  /// - Throws: ``PeerSessionError/dtlsUnavailable(reason:)``; then nothing has changed.
  func makeAssociation(role: DTLSRole, remote: [CertificateFingerprint]) throws(PeerSessionError) {
    try dtls.makeAssociation(associations, role: role, remote: remote)
  }

  /// Restarts the search for a path, with these local credentials.
  func restartICE(credentials: ICECredentials, now: MonotonicInstant) {
    agent.restart(credentials: credentials, candidates: agent.localCandidates, now: now)
  }

  /// Takes what describes the peer; ``sendChecks(now:)`` follows.
  func setRemote(_ credentials: ICECredentials, candidates: [ICECandidate], now: MonotonicInstant) {
    agent.setRemoteCredentials(credentials, now: now)
    for candidate in candidates { agent.addRemoteCandidate(candidate, now: now) }
  }

  /// Adds a trickled candidate of the peer's.
  func addRemoteCandidate(_ candidate: ICECandidate, now: MonotonicInstant) {
    agent.addRemoteCandidate(candidate, now: now)
    flushICE(now: now)
  }

  /// Sends the checks that are due.
  func sendChecks(now: MonotonicInstant) { flushICE(now: now) }
}

// MARK: - Gathering

extension PeerTransport {
  func changeLocalAddresses(_ addresses: [TransportAddress], now: MonotonicInstant) {
    var isChanged = false
    gather { isChanged = gatherer.changeHosts(addresses, &$0, now: now) }
    guard isChanged else { return }
    flushICE(now: now)
    wantRestart()
  }

  func askReflexiveAddress(of server: TransportAddress, now: MonotonicInstant) {
    gather { gatherer.askReflexiveAddress(of: server, &$0, now: now) }
  }

  func openRelay(
    _ link: TURNConnectionID, _ server: TURNServerEndpoint, after predecessor: TURNConnectionID?, now: MonotonicInstant
  ) {
    gatherer.openRelay(link, server, after: predecessor, wantsIPv6: agent.isPeerIPv6Only, now: now)
  }

  func closeRelay(_ link: TURNConnectionID, now: MonotonicInstant) {
    gather { gatherer.closeRelay(link, &$0, now: now) }
    flushICE(now: now)
  }

  func endServers() { gather { _ in gatherer.endServers() } }

  /// Lets the gatherer work on the agent's candidates, and applies the results.
  ///
  /// - Returns: whether anything did.
  @discardableResult
  private func gather(_ body: (inout ICEAgent) -> Void) -> Bool {
    body(&agent)
    return takeGathered()
  }

  @discardableResult
  private func takeGathered() -> Bool {
    var hasEvents = false
    while let event = gatherer.takeEvent() {
      hasEvents = true
      if case .pathWanted = event { wantRestart() } else { events.append(.gathering(event)) }
    }
    return hasEvents
  }

  /// Requests a restart, unless one is pending or there is no address to offer.
  private func wantRestart() {
    guard phase == .connected, !agent.isChecking, !agent.localCandidates.isEmpty else { return }
    events.append(.restartUseful)
  }

  /// After a failed local offer: requests another if there is no path, or one to be left.
  func wantRestartAgain() {
    if output.path == nil || agent.isPathSuspected || gatherer.hasRetiredRelay { wantRestart() }
  }
}

// MARK: - Datagrams

extension PeerTransport {
  /// Packets that failed authentication, were replayed, or whose source is one too many.
  var refusedPacketCount: UInt64 { input.refusedCount }

  /// The sources of authentic packets.
  var sources: AuthenticatedSSRCs { input.sources }

  /// Takes one datagram that came to a shared socket, and may change it in place.
  ///
  /// - Returns: whether it proved to come from the peer.
  func receive(
    _ datagram: inout MutableRawSpan, from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant,
    deliveringTo sink: any PacketSink
  ) -> Bool {
    guard phase != .ended, gatherer.usesSockets else { return false }
    guard !takeReflexiveAnswer(datagram.bytes, from: remote, to: local, now: now) else { return false }
    return take(&datagram, from: remote, to: local, now: now, sink)
  }

  /// Takes input from a connection to a TURN server, and may change it in place.
  func receive(
    _ octets: inout MutableRawSpan, over link: TURNConnectionID, now: MonotonicInstant,
    deliveringTo sink: any PacketSink
  ) {
    guard phase != .ended, let relay = gatherer.relay(link) else { return }
    relay.receive(&octets, now: now) { datagram, remote, local in
      _ = take(&datagram, from: remote, to: local, now: now, sink)
      return phase != .ended
    }
    guard phase != .ended else { return }
    if gather({ gatherer.follow(relay, &$0, now: now) }) { flushICE(now: now) }
  }

  private func takeReflexiveAnswer(
    _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant
  ) -> Bool {
    let isAnswer = gatherer.takeReflexiveAnswer(datagram, from: remote, to: local, &agent, now: now)
    takeGathered()
    return isAnswer
  }

  /// Takes one datagram of the peer's, wherever it came.
  private func take(
    _ datagram: inout MutableRawSpan, from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant,
    _ sink: any PacketSink
  ) -> Bool {
    switch DatagramKind(datagram.bytes) {
    case .stun:
      let isAuthentic = agent.handleDatagram(datagram.bytes, from: remote, to: local, now: now)
      flushICE(now: now)
      return isAuthentic && agent.isPeer(remote)
    case .dtls:
      // A handshake in the clear can be broken by anyone who gets a datagram in.
      // What comes before the answer names the certificate, the peer sends again.
      guard agent.isPeer(remote) else { return false }
      dtls.receive(datagram.bytes, now: now)
      flushDTLS(now: now)
      return false
    case .rtp: return notePath(take(&datagram, .rtp, now: now, sink), from: remote, to: local, now: now)
    case .rtcp: return notePath(take(&datagram, .rtcp, now: now, sink), from: remote, to: local, now: now)
    case .turnChannel, .unknown: return false
    }
  }

  /// Takes a protected packet; returns whether it was authentic and well formed.
  private func take(
    _ datagram: inout MutableRawSpan, _ kind: PacketInput.Kind, now: MonotonicInstant, _ sink: any PacketSink
  ) -> Bool {
    guard let protection = output.protection, let length = input.unprotect(&datagram, kind, with: protection) else {
      return false
    }
    return sink.receive(datagram.bytes.extracting(0..<length), kind, now: now)
  }

  /// Reports to the agent over which path an authentic packet came; passes on whether it was authentic.
  private func notePath(
    _ isAuthentic: Bool, from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant
  ) -> Bool {
    guard isAuthentic else { return false }
    agent.notePacket(from: remote, to: local, now: now)
    if let path = output.path, path.remote != remote || path.local != local { flushICE(now: now) }
    return true
  }
}

// MARK: - Round trips

/// When checks over the path in use measure its round trip.
enum PathMeasuring {
  case never
  /// Ten times a second, while frames are sent; that causes no wake-ups.
  case withFrames
  /// Ten times a second.
  case always
}

extension PeerTransport {
  private static var measurementInterval: TimeSpan { .milliseconds(100) }

  private var measurementDeadline: MonotonicInstant {
    guard measuring == .always else { return .distantFuture }
    return lastMeasurement.map { $0 + Self.measurementInterval } ?? MonotonicInstant(nanoseconds: .min)
  }

  /// A frame is sent: measures if it is time.
  func noteFrame(now: MonotonicInstant) {
    guard measuring != .never, measureIfDue(now: now) else { return }
    flushICE(now: now)
  }

  /// Returns whether there is a check to send.
  @discardableResult
  private func measureIfDue(now: MonotonicInstant) -> Bool {
    if let lastMeasurement, now - lastMeasurement < Self.measurementInterval { return false }
    lastMeasurement = now
    guard phase == .connected, output.path != nil else { return false }
    if let pending = agent.pendingRoundTrip(now: now) { events.append(.roundTripPending(pending)) }
    agent.measureRoundTrip(now: now)
    return true
  }
}

// MARK: - ICE

extension PeerTransport {
  /// Sends what the agent has to send and acts on its events.
  private func flushICE(now: MonotonicInstant) {
    gatherer.permitPeers(of: agent, now: now)
    output.sendPlain { buffer in
      agent.takeTransmit(into: &buffer).map {
        DatagramOutput.Plain(count: $0.count, local: $0.local, remote: $0.remote)
      }
    }
    while let event = agent.takeEvent() { handle(event, now: now) }
    if let sample = agent.takeRoundTrip() { events.append(.roundTrip(sample)) }
    followCheck()
  }

  /// A check that has ended may have stood in the way of a move; one that confirmed the path brings no event.
  private func followCheck() {
    let isOver = isICEChecking && !agent.isChecking
    isICEChecking = agent.isChecking
    if isOver, gatherer.hasRetiredRelay { wantRestart() }
  }

  private func handle(_ event: ICEEvent, now: MonotonicInstant) {
    guard phase != .ended else { return }
    switch event {
    case .connected(let pair), .selectedPairChanged(let pair):
      output.path = (pair.local, pair.remote)
      gatherer.bindChannel(for: pair, now: now)
      gatherer.releaseRetired()
      takeGathered()
      dtls.startOnce(now: now)
      flushDTLS(now: now)
    case .suspected:
      gatherer.verifyRelay(now: now)
      wantRestart()
    case .disconnected:
      output.path = nil
      // A restart was tried when the path fell silent; it may continue, but does not begin now.
      if !agent.isChecking { end(.consentExpired) }
    case .failed:
      end(phase == .connected ? .consentExpired : .iceFailed)
    }
  }
}

// MARK: - DTLS

extension PeerTransport {
  /// Sends what the handshake has to send and acts on how far it has come.
  private func flushDTLS(now: MonotonicInstant) {
    dtls.sendDatagrams(through: output)
    guard phase != .ended else { return }
    switch dtls.state {
    case nil, .handshaking: return
    case .connected(let keys): becomeConnected(keys)
    case .failed(let reason): end(.dtlsFailed(reason: reason))
    case .closed: end(.closedByPeer)
    }
  }

  private func becomeConnected(_ keys: SRTPKeyingMaterial) {
    guard phase == .connecting else { return }
    do {
      output.protection = try protection.makeProtection(keys)
    } catch {
      end(.dtlsFailed(reason: "SRTP keys were refused: \(error)"))
      return
    }
    phase = .connected
    events.append(.connected)
  }
}
