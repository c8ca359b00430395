public import ICE
public import MediaCore
import SDP
import TransportCrypto

// MARK: - Offers and answers

extension PeerSession {
  /// After so long without an answer an offer within the session is taken back.
  static var offerTimeout: TimeSpan { .seconds(10) }

  /// The description for the peer: the offer that waits for its answer, else the last answer. Later calls may have more
  /// candidates.
  public var localDescription: String {
    negotiation.description(
      configuration, fingerprint: dependencies.dtls.fingerprint,
      candidates: (agent.localCandidates, gathering.isComplete))
  }

  /// The kinds that are sent, as the last answer has it.
  public var sentKinds: Set<MediaKind> { negotiated.sentKinds }

  /// The kinds that the peer's last offer gave a transport of their own, which there is not: they are refused.
  public var unbundledKinds: Set<MediaKind> { negotiation.agreement?.unbundledKinds ?? [] }

  /// What the peer's connectivity checks are addressed to: the present fragment and, after a restart of ICE, the one
  /// before.
  public var localUsernameFragments: [UsernameFragment] {
    [agent.localCredentials, agent.previousLocalCredentials].compactMap { credentials in
      credentials.flatMap { UsernameFragment($0.usernameFragment) }
    }
  }

  /// Answers a later offer of the peer, which may change directions, restart ICE, add or remove kinds.
  ///
  /// An offer that comes while one of this side waits: the side that answered first in the session takes its own back,
  /// the other refuses (RFC 8829 §4.1.10.2).
  ///
  /// - Throws: ``PeerSessionError``; then the session goes on as it was.
  public func renegotiate(offer: String, now: MonotonicInstant) throws(PeerSessionError) -> String {
    guard phase != .ended else { throw .ended }
    guard negotiation.pending == nil || !negotiation.isOfferer else { throw .offerPending }
    let givesWay = negotiation.pending != nil
    try commit(negotiation.answering(offer, configuration, crypto: dependencies.crypto), now: now)
    if givesWay { wantRestartAgain() }
    return localDescription
  }

  /// Takes the peer's answer to the offer of this side.
  ///
  /// - Throws: ``PeerSessionError``; then the session goes on as it was, and the offer waits for another answer.
  public func accept(answer: String, now: MonotonicInstant) throws(PeerSessionError) {
    guard phase != .ended else { throw .ended }
    try commit(negotiation.accepting(answer), now: now)
  }

  /// Makes an offer that restarts ICE (RFC 8445 §9); nil where one waits already, or nothing is agreed yet.
  ///
  /// The path in use carries on until ``accept(answer:now:)`` has led to another. Without an answer the offer is taken
  /// back after 10 s.
  public func restartICE(now: MonotonicInstant) -> String? {
    guard phase != .ended,
      let next = negotiation.restarting(
        configuration, crypto: dependencies.crypto, deadline: now + Self.offerTimeout)
    else { return nil }
    negotiation = next
    return localDescription
  }

  /// Takes back an offer that was not answered in time. One that is still needed is asked for anew: signalling may
  /// have been away with the path.
  func rollBackIfDue(now: MonotonicInstant) {
    guard let pending = negotiation.pending, pending.deadline <= now else { return }
    negotiation = negotiation.rolledBack
    wantRestartAgain()
  }
}

// MARK: - Taking effect

extension PeerSession {
  private func commit(_ next: Negotiation, now: MonotonicInstant) throws(PeerSessionError) {
    // All that can fail comes first.
    try makeAssociation(next.agreement)
    let before = negotiation.agreement
    negotiation = next
    followAgreement(after: before, now: now)
  }

  /// Makes the DTLS association, unless there is one.
  func makeAssociation(_ agreement: Agreement?) throws(PeerSessionError) {
    guard dtls == nil, let transport = agreement?.transport else { return }
    do {
      dtls = try dependencies.dtls.makeAssociation(role: transport.role, remote: transport.remoteFingerprints)
    } catch {
      throw .dtlsUnavailable(reason: "\(error)")
    }
  }

  /// Puts what is agreed into effect.
  func followAgreement(after before: Agreement?, now: MonotonicInstant) {
    guard let agreement = negotiation.agreement else { return }
    follow(agreement.transport, after: before?.transport, now: now)
    followStreams(NegotiatedStreams(agreement.media), now: now)
    flushICE(now: now)
  }

  private func follow(_ transport: NegotiatedTransport, after before: NegotiatedTransport?, now: MonotonicInstant) {
    if let before, transport.restartsICE(after: before) {
      agent.restart(credentials: negotiation.credentials, candidates: agent.localCandidates, now: now)
    }
    agent.setRemoteCredentials(
      ICECredentials(usernameFragment: transport.remoteUsernameFragment, password: transport.remotePassword), now: now)
    for candidate in transport.remoteCandidates.compactMap(ICECandidate.init(remote:)) {
      agent.addRemoteCandidate(candidate, now: now)
    }
  }
}
