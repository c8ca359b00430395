import MediaCore
public import TransportCrypto

/// Agrees to offers: one audio and one video description, BUNDLEd over one transport with rtcp-mux (RFC 8829 §5.3).
///
/// Refused (port 0) are data channels, second descriptions of a kind, what shares no codec (VP8, Opus) and what lies
/// outside the first accepted description's BUNDLE group. Simulcast offers get a single stream.
///
/// In a later offer directions, ICE credentials and candidates may change, kinds come and go; ``ForbiddenChange`` says
/// what may not.
public enum AnswerBuilder {
  /// - Parameters:
  ///   - media: what this side can do, at most one of each kind.
  ///   - preferredRole: used where the offer leaves the choice and there is no association yet.
  ///   - before: what the session had agreed, when the offer is a later one.
  public static func agree(
    to offer: SDPSession, media: [LocalMedia], preferredRole: DTLSRole, after before: NegotiatedSession? = nil
  ) throws(NegotiationError) -> NegotiatedSession {
    do { try before?.checkPlaces(in: offer) } catch { throw .forbidden(error) }
    let accepted = try accept(offer, media, before)
    guard let first = accepted.first else { throw .noUsableMedia(refusals(in: offer), skipped: offer.skippedLines) }
    let transport = try offer.negotiateTransport(of: first) { setup in
      DTLSRoleNegotiation.role(answering: setup, preferred: before?.transport.role ?? preferredRole)
    }
    do { try before?.checkAssociation(transport) } catch { throw .forbidden(error) }
    let sections = offer.media.enumerated().map { index, media in
      accepted.first { $0.index == index }.map { MediaSection.active($0) } ?? .refused(media)
    }
    var agreement = NegotiatedSession(sections: sections, transport: transport, after: before)
    agreement.missingMedia = missing(in: offer, media, accepted)
    agreement.skippedLines = offer.skippedLines
    return agreement
  }

  /// Why each description of audio or video is refused that nothing is bundled with.
  private static func refusals(in offer: SDPSession) -> [RefusedMedia] {
    offer.media.compactMap { media in
      guard let kind = media.kind, let reason = media.refusal(as: kind) else { return nil }
      return RefusedMedia(kind: kind, reason: reason)
    }
  }

  /// Media that both sides want but that are not agreed. Those usable on their own lie outside the BUNDLE group.
  private static func missing(
    in offer: SDPSession, _ local: [LocalMedia], _ accepted: [NegotiatedMedia]
  ) -> [RefusedMedia] {
    local.filter { local in local.direction != .inactive && !accepted.contains { $0.kind == local.kind } }
      .compactMap { local in
        let wanted = offer.media.first { $0.kind == local.kind && !$0.isRefused && $0.direction != .inactive }
        return wanted.map { RefusedMedia(kind: local.kind, reason: $0.refusal(as: local.kind) ?? .notBundled) }
      }
  }

  private static func accept(
    _ offer: SDPSession, _ local: [LocalMedia], _ before: NegotiatedSession?
  ) throws(NegotiationError) -> [NegotiatedMedia] {
    var accepted: [NegotiatedMedia] = []
    for (index, media) in offer.media.enumerated() {
      guard let local = local.first(where: { $0.kind == media.kind }),
        !accepted.contains(where: { $0.kind == local.kind }),
        accepted.first.map({ offer.isBundled(media, with: $0) }) ?? true,
        !continuesElsewhere(local.kind, than: index, in: offer, before)
      else { continue }
      let agreed: NegotiatedMedia?
      do {
        agreed = try MediaNegotiation.negotiate(
          media, at: index, local.kind, local.direction, known: before?.known(local.kind))
      } catch { throw .forbidden(error) }
      guard var agreed else { continue }
      if let first = accepted.first { agreed.leaveOutExtensions(differingFrom: first) }
      accepted.append(agreed)
    }
    return accepted
  }

  /// Whether the kind keeps the description that it has.
  private static func continuesElsewhere(
    _ kind: MediaKind, than index: Int, in offer: SDPSession, _ before: NegotiatedSession?
  ) -> Bool {
    guard let current = before?.media.first(where: { $0.kind == kind }) else { return false }
    return current.index != index && !offer.media[current.index].isRefused
  }
}
