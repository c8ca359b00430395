import MediaCore
import TransportCrypto

/// Answers offers: one audio and one video description, BUNDLEd over one transport with rtcp-mux (RFC 8829 §5.3).
///
/// Refused (port 0) are data channels, second descriptions of a kind, what shares no codec (VP8, Opus) and what lies
/// outside the first accepted description's BUNDLE group. Simulcast offers get a single stream.
public enum AnswerBuilder {
  public static func answer(_ offer: SDPSession, with parameters: AnswerParameters) throws(AnswerError) -> Answer {
    let accepted = accept(offer, parameters)
    guard let first = accepted.first else { throw .noCommonMedia }
    let transport = try negotiateTransport(offer, first: first, parameters)
    let writer = AnswerWriter(offer: offer, parameters: parameters, transport: transport, accepted: accepted)
    return Answer(sdp: writer.text(), media: accepted, transport: transport)
  }

  private static func accept(_ offer: SDPSession, _ parameters: AnswerParameters) -> [NegotiatedMedia] {
    var accepted: [NegotiatedMedia] = []
    for (index, media) in offer.media.enumerated() {
      guard let local = parameters.media.first(where: { $0.kind == media.kind }) else { continue }
      guard !accepted.contains(where: { $0.kind == local.kind }) else { continue }
      guard let first = accepted.first else {
        if let agreed = MediaNegotiation.negotiate(media, at: index, local: local) { accepted = [agreed] }
        continue
      }
      guard isBundled(media, with: first, in: offer) else { continue }
      guard var agreed = MediaNegotiation.negotiate(media, at: index, local: local) else { continue }
      agreed.leaveOutExtensions(differingFrom: first)
      accepted.append(agreed)
    }
    return accepted
  }

  private static func isBundled(_ media: SDPMedia, with first: NegotiatedMedia, in offer: SDPSession) -> Bool {
    guard let mid = media.mid, let firstMID = first.mid, mid != firstMID else { return false }
    return offer.bundleGroups.contains { $0.contains(mid) && $0.contains(firstMID) }
  }

  /// Takes the transport of the first accepted description, or that of its group's first, which a bundle-only
  /// description relies on (RFC 9143 §7.1.3).
  private static func negotiateTransport(
    _ offer: SDPSession, first: NegotiatedMedia, _ parameters: AnswerParameters
  ) throws(AnswerError) -> NegotiatedTransport {
    var media = offer.media[first.index]
    if media.isBundleOnly || media.transport.iceUsernameFragment == nil {
      let group = offer.bundleGroups.first { group in first.mid.map { group.contains($0) } ?? false }
      media = offer.media.first { $0.mid != nil && $0.mid == group?.first } ?? media
    }
    guard let fragment = media.transport.iceUsernameFragment, let password = media.transport.icePassword else {
      throw .missingICECredentials
    }
    guard !media.transport.fingerprints.isEmpty else { throw .missingFingerprint }
    return NegotiatedTransport(
      remoteUsernameFragment: fragment, remotePassword: password,
      remoteFingerprints: media.transport.fingerprints, remoteCandidates: media.candidates,
      hasAllRemoteCandidates: media.hasEndOfCandidates, canTrickle: media.transport.iceOptions.contains("trickle"),
      isRemoteLite: offer.isICELite, role: role(for: media.transport.setup, parameters.preferredRole))
  }

  /// RFC 8842 §5.3. An offer without the attribute means `active` (RFC 4145 §4.1).
  private static func role(for setup: SDPSetup?, _ preferred: DTLSRole) -> DTLSRole {
    switch setup {
    case .actpass: preferred
    case .passive: .client
    case .active, .holdconn, nil: .server
    }
  }
}
