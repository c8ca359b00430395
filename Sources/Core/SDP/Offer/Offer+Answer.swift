import MediaCore

extension Offer {
  /// Takes the peer's answer (RFC 8829 §5.11): what it accepts of the offer is agreed.
  ///
  /// - Parameter before: what the session had agreed when the offer was made.
  public func take(_ answer: SDPSession, after before: NegotiatedSession? = nil) throws(NegotiationError)
    -> NegotiatedSession
  {
    guard answer.media.count == sections.count else {
      throw .otherMedia(index: min(answer.media.count, sections.count))
    }
    var taken: [MediaSection] = []
    for (index, section) in sections.enumerated() {
      taken.append(try take(answer.media[index], for: section, at: index))
    }
    let media = taken.compactMap { $0.media }
    guard let first = media.first else { throw .noUsableMedia(refusals(in: answer), skipped: answer.skippedLines) }
    for other in media.dropFirst() where !answer.isBundled(answer.media[other.index], with: first) {
      throw .notBundled(index: other.index)
    }
    let transport = try answer.negotiateTransport(of: first, role: DTLSRoleNegotiation.role(answeredWith:))
    do { try before?.checkAssociation(transport) } catch { throw .forbidden(error) }
    return NegotiatedSession(sections: taken, transport: transport, after: before)
  }

  /// The answer accepts nothing of the offer.
  private func refusals(in answer: SDPSession) -> [RefusedMedia] {
    answer.media.compactMap { media in media.kind.map { RefusedMedia(kind: $0, reason: .portZero) } }
  }

  private func take(
    _ answer: SDPMedia, for section: MediaSection, at index: Int
  ) throws(NegotiationError) -> MediaSection {
    switch section {
    case .refused(let refused):
      guard answer.isRefused, answer.name == refused.name else { throw .otherMedia(index: index) }
      return section
    case .active(let offered):
      guard answer.kind == offered.kind, answer.mid == offered.mid || answer.isRefused else {
        throw .otherMedia(index: index)
      }
      return answer.isRefused ? .refused(answer) : .active(try take(answer, for: offered))
    }
  }

  private func take(_ answer: SDPMedia, for offered: NegotiatedMedia) throws(NegotiationError) -> NegotiatedMedia {
    let agreed: NegotiatedMedia?
    do {
      agreed = try MediaNegotiation.negotiate(
        answer, at: offered.index, offered.kind, offered.direction, known: isFirst ? nil : offered)
    } catch { throw .forbidden(error) }
    guard var agreed, agreed.payloadType == offered.payloadType else { throw .otherFormats(index: offered.index) }
    agreed.confine(to: offered)
    return agreed
  }
}

extension NegotiatedMedia {
  /// Drops what an answer adds to the offer.
  fileprivate mutating func confine(to offered: NegotiatedMedia) {
    if rtxPayloadType != offered.rtxPayloadType { rtxPayloadType = nil }
    extensionIDs.formIntersection(offered.extensionIDs)
    feedback.formIntersection(offered.feedback)
    telephoneEvents.removeAll { !offered.telephoneEvents.contains($0) }
    usesReducedSizeRTCP = usesReducedSizeRTCP && offered.usesReducedSizeRTCP
    matchTransportWide()
  }
}
