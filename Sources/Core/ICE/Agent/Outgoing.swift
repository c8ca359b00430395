import MediaCore

/// A message that waits to be written.
enum Outgoing {
  case request(OutgoingRequest)
  case response(OutgoingResponse)
}

/// A check of ours (RFC 8445 §7.2.2).
struct OutgoingRequest {
  var transactionID: STUNTransactionID
  var local: TransportAddress
  var remote: TransportAddress
  /// The priority of the peer-reflexive candidate that the peer may form of us.
  var priority: UInt32
  var useCandidate: Bool
  var role: ICERole
  var tieBreaker: UInt64
  var generation: UInt8
}

/// An answer to a check of the peer's.
struct OutgoingResponse {
  enum Kind {
    case success
    /// 400, 401, 420 or 487 (RFC 8489 §14.8, RFC 8445 §7.3.1.1).
    case error(Int)
  }

  var kind: Kind
  var transactionID: STUNTransactionID
  var local: TransportAddress
  var remote: TransportAddress
  var unknownAttributes = STUNUnknownAttributes()
  /// The generation of the password that signs it; nil for answers to unauthenticated requests.
  var generation: UInt8?
}
