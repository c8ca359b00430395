public import SDP

/// Why an offer was not answered.
public enum PeerSessionError: Error, Sendable, CustomStringConvertible {
  /// The offer is no SDP; the error names the line.
  case malformedOffer(SDPError)
  /// The offer holds nothing that this side can take part in.
  case notAcceptable(AnswerError)
  /// The DTLS library refused to make an association.
  case dtlsUnavailable(reason: String)

  public var description: String {
    switch self {
    case .malformedOffer(let error): "the offer is malformed: \(error)"
    case .notAcceptable(.noCommonMedia): "the offer has no VP8 or Opus stream that can be answered"
    case .notAcceptable(.missingICECredentials): "the offer has no ice-ufrag and ice-pwd"
    case .notAcceptable(.missingFingerprint): "the offer has no certificate fingerprint"
    case .dtlsUnavailable(let reason): "DTLS cannot be started: \(reason)"
    }
  }
}
