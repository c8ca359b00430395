import MediaCore
import TransportCrypto

/// One media description of a session. Its place stays in all later offers and answers (RFC 8829 §5.2.2).
public enum MediaSection: Sendable, Hashable {
  /// Agreed on, or offered by this side.
  case active(NegotiatedMedia)
  /// Refused with port 0; the value is the description as the peer wrote it.
  case refused(SDPMedia)

  /// The agreement, or nil.
  public var media: NegotiatedMedia? {
    if case .active(let media) = self { media } else { nil }
  }
}

/// What an offer and its answer have agreed.
public struct NegotiatedSession: Sendable, Hashable {
  /// A place for each `m=` line, in the order of the first offer.
  public var sections: [MediaSection]
  /// Kinds that were agreed earlier in the session and are refused now. They are coded as before if they come back.
  public var formerMedia: [NegotiatedMedia]
  /// The one transport that all media share (BUNDLE).
  public var transport: NegotiatedTransport
  /// Media that both sides support and that are missing all the same; at most one of each kind.
  public var missingMedia: [RefusedMedia] = []
  /// Malformed lines of the peer's description that were skipped.
  public var skippedLines: [SDPError] = []

  /// The agreement for each kind of media that is not refused.
  public var media: [NegotiatedMedia] { sections.compactMap { $0.media } }

  init(sections: [MediaSection], transport: NegotiatedTransport, after before: NegotiatedSession?) {
    self.sections = sections
    self.transport = transport
    let known = (before?.media ?? []) + (before?.formerMedia ?? [])
    let kinds = sections.compactMap { $0.media?.kind }
    formerMedia = known.filter { !kinds.contains($0.kind) }
  }

  /// How a kind was agreed now or earlier.
  func known(_ kind: MediaKind) -> NegotiatedMedia? { (media + formerMedia).first { $0.kind == kind } }

  /// Writes the agreement as this side's answer.
  public func answer(with parameters: LocalParameters) -> String {
    let setup: SDPSetup = transport.role == .client ? .active : .passive
    return DescriptionWriter(
      sections: sections, parameters: parameters, setup: setup, canTrickle: transport.canTrickle,
      isBundled: transport.isBundled
    ).text()
  }
}
