import MediaCore

/// Why an offer cannot be answered, or an answer does not fit the offer.
public enum NegotiationError: Error, Hashable, Sendable {
  /// No media description can be used: why each audio or video description cannot, and the lines that were skipped,
  /// which may be the cause.
  case noUsableMedia([RefusedMedia], skipped: [SDPError] = [])
  case missingICECredentials
  case missingFingerprint
  /// A later description changes fixed parts.
  case forbidden(ForbiddenChange)
  /// The answer's descriptions are not those of the offer, or it takes one that was refused.
  case otherMedia(index: Int)
  /// The answer has none of the codecs offered, gives one another payload type, or lacks rtcp-mux.
  case otherFormats(index: Int)
  /// The answer requires a separate transport for a description.
  case notBundled(index: Int)
  /// The answer leaves open which side begins with DTLS (RFC 8842 §5.3).
  case undecidedDTLSRole
  /// The offer restarts ICE, and the answer does not (RFC 8839 §4.4.2.1).
  case ignoredRestart
}

extension NegotiationError: CustomStringConvertible {
  /// The obstacle, for a log.
  public var description: String {
    switch self {
    case .noUsableMedia([], let skipped): "it describes neither audio nor video\(Self.text(skipped))"
    case .noUsableMedia(let refused, let skipped):
      refused.map { "\($0)" }.joined(separator: "; ") + Self.text(skipped)
    case .missingICECredentials: "it has no ice-ufrag and ice-pwd"
    case .missingFingerprint: "it has no certificate fingerprint"
    case .forbidden(let change): "\(change)"
    case .otherMedia(let index): "media description \(index + 1) is not the one offered"
    case .otherFormats(let index): "media description \(index + 1) has other codecs than those offered"
    case .notBundled(let index): "media description \(index + 1) is not in the BUNDLE group"
    case .undecidedDTLSRole: "a=setup is neither active nor passive"
    case .ignoredRestart: "it has the ICE credentials from before the restart"
    }
  }

  private static func text(_ skipped: [SDPError]) -> String {
    skipped.isEmpty ? "" : " (skipped: \(skipped.map { "\($0)" }.joined(separator: ", ")))"
  }
}
