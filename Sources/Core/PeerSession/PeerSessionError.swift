public import SDP

/// Why an offer or an answer was not taken.
public enum PeerSessionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The description is no SDP; the error names the line.
  case malformed(SDPError)
  /// An offer that this side cannot take part in, an answer that does not fit, or one that changes fixed parts.
  case notAcceptable(NegotiationError)
  /// The DTLS library refused to make an association.
  case dtlsUnavailable(reason: String)
  /// An offer of this side waits for its answer, and goes before the peer's.
  case offerPending
  /// An answer without an offer: it was rolled back, or answered already.
  case noOfferPending
  case ended

  /// What is wrong, for a log.
  public var description: String {
    switch self {
    case .malformed(let error): "the description is malformed: \(error)"
    case .notAcceptable(let error): "the description is refused: \(error)"
    case .dtlsUnavailable(let reason): "DTLS cannot be started: \(reason)"
    case .offerPending: "an offer of this side waits for its answer; offer again after that"
    case .noOfferPending: "no offer of this side waits for an answer"
    case .ended: "the session is over"
    }
  }
}
