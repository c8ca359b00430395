import TransportCrypto

/// Which side controls, and how two sides that claim the same role agree (RFC 8445 §7.3.1.1).
struct RoleNegotiation {
  private(set) var role: ICERole
  private(set) var tieBreaker: UInt64

  init(_ role: ICERole, crypto: any CryptoPrimitives) {
    self.role = role
    tieBreaker = crypto.randomUInt64()
  }

  enum Outcome {
    /// There is no conflict.
    case agreed
    /// Ours has changed.
    case switched
    /// It is the peer that has to change.
    case refused
  }

  /// Compares the role that a request claims with ours; changes ours if the peer's tie-breaker is the better one.
  mutating func resolve(_ request: STUNMessage) -> Outcome {
    switch role {
    case .controlling:
      guard let theirs = request.controlling else { return .agreed }
      guard tieBreaker < theirs else { return .refused }
    case .controlled:
      guard let theirs = request.controlled else { return .agreed }
      guard tieBreaker >= theirs else { return .refused }
    }
    role = role.opposite
    return .switched
  }

  /// The peer refuses our role: takes the other, with another tie-breaker.
  mutating func yield(crypto: any CryptoPrimitives) {
    role = role.opposite
    tieBreaker = crypto.randomUInt64()
  }
}
