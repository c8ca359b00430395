import ICE
import MediaCore
import SDP
import TransportCrypto

/// How far offers and answers of a session have come (RFC 8829 §3.5).
///
/// A value: an offer or an answer makes a new one, which then takes effect as a whole, or an error, which changes
/// nothing.
struct Negotiation {
  /// This side made the session's first offer. Its later ones go before the peer's; those of the other side yield.
  let isOfferer: Bool
  let sources: LocalSources
  private let sessionID: UInt64
  private(set) var version: UInt64 = 1
  /// Ours, in use.
  private(set) var credentials: ICECredentials
  private(set) var agreement: NegotiatedSession?
  /// An offer of this side that has no answer yet.
  private(set) var pending: PendingOffer?
  /// The peer's last offer, if it led to the agreement.
  private(set) var answered: String?

  private init(isOfferer: Bool, crypto: any CryptoPrimitives) {
    self.isOfferer = isOfferer
    sources = LocalSources(crypto: crypto)
    credentials = .make(crypto: crypto)
    sessionID = crypto.randomUInt64() >> 1
  }
}

extension Negotiation {
  /// The side that made the first offer controls ICE, unless the other has ICE-lite (RFC 8445 §6.1.1).
  var iceRole: ICERole { isOfferer || agreement?.transport.isRemoteLite == true ? .controlling : .controlled }
}

/// An offer of this side that waits for its answer.
struct PendingOffer {
  let offer: Offer
  /// Ours once it is answered.
  let credentials: ICECredentials
  let version: UInt64
  /// When it is rolled back.
  let deadline: MonotonicInstant
}

// MARK: - Offers of the peer

extension Negotiation {
  init(
    answering offer: String, _ configuration: PeerSessionConfiguration, crypto: any CryptoPrimitives
  ) throws(PeerSessionError) {
    self.init(isOfferer: false, crypto: crypto)
    try answer(offer, configuration, crypto: crypto)
  }

  /// The result of a later offer of the peer; rolls back a pending local offer.
  func answering(
    _ offer: String, _ configuration: PeerSessionConfiguration, crypto: any CryptoPrimitives
  ) throws(PeerSessionError) -> Negotiation {
    var next = rolledBack
    guard offer != answered else { return next }
    try next.answer(offer, configuration, crypto: crypto)
    next.version += 1
    return next
  }

  private mutating func answer(
    _ text: String, _ configuration: PeerSessionConfiguration, crypto: any CryptoPrimitives
  ) throws(PeerSessionError) {
    let offer: SDPSession
    do { offer = try SessionDescriptionParser.parse(text) } catch { throw .malformed(error) }
    let next: NegotiatedSession
    do {
      next = try AnswerBuilder.agree(
        to: offer, media: localMedia(configuration), preferredRole: configuration.preferredDTLSRole, after: agreement)
    } catch { throw .notAcceptable(error) }
    if let before = agreement, next.transport.restartsICE(after: before.transport) {
      credentials = .make(crypto: crypto)
    }
    agreement = next
    answered = text
  }
}

// MARK: - Offers of this side

extension Negotiation {
  /// The session's first offer; it waits for its answer as long as the owner does.
  init(offering configuration: PeerSessionConfiguration, crypto: any CryptoPrimitives) {
    self.init(isOfferer: true, crypto: crypto)
    pending = PendingOffer(
      offer: Offer(localMedia(configuration)), credentials: credentials, version: version, deadline: .distantFuture)
  }

  /// With an offer that restarts ICE; nil while another waits.
  func restarting(
    _ configuration: PeerSessionConfiguration, crypto: any CryptoPrimitives, deadline: MonotonicInstant
  ) -> Negotiation? {
    guard let agreement, pending == nil else { return nil }
    var next = self
    // Rolled-back offers have used up their versions.
    next.version += 1
    next.pending = PendingOffer(
      offer: Offer(localMedia(configuration), after: agreement), credentials: .make(crypto: crypto),
      version: next.version, deadline: deadline)
    return next
  }

  /// The result of the peer's answer to the pending offer.
  func accepting(_ text: String) throws(PeerSessionError) -> Negotiation {
    guard let pending else { throw .noOfferPending }
    let answer: SDPSession
    do { answer = try SessionDescriptionParser.parse(text) } catch { throw .malformed(error) }
    var next = rolledBack
    do throws(NegotiationError) {
      let taken = try pending.offer.take(answer, after: agreement)
      if let agreement, !taken.transport.restartsICE(after: agreement.transport) {
        throw NegotiationError.ignoredRestart
      }
      next.agreement = taken
    } catch { throw .notAcceptable(error) }
    next.credentials = pending.credentials
    next.answered = nil
    return next
  }

  /// Without the offer that waits (RFC 8829 §4.1.10.2).
  var rolledBack: Negotiation {
    var next = self
    next.pending = nil
    return next
  }
}

// MARK: - The text

extension Negotiation {
  private func localMedia(_ configuration: PeerSessionConfiguration) -> [LocalMedia] {
    [MediaKind.audio, .video].map { sources.localMedia($0, configuration) }
  }

  /// The pending offer, else the agreement, written as an answer.
  ///
  /// - Parameter candidates: those of this side, and whether they are all.
  func description(
    _ configuration: PeerSessionConfiguration, fingerprint: CertificateFingerprint,
    candidates: (list: [ICECandidate], areAll: Bool)
  ) -> String {
    let credentials = pending?.credentials ?? credentials
    let parameters = LocalParameters(
      sessionID: sessionID, sessionVersion: pending?.version ?? version,
      iceUsernameFragment: credentials.usernameFragment, icePassword: credentials.password, fingerprint: fingerprint,
      candidates: candidates.list.map(Candidate.init(local:)), hasAllCandidates: candidates.areAll,
      media: localMedia(configuration))
    return pending?.offer.text(with: parameters) ?? agreement?.answer(with: parameters) ?? ""
  }
}
