import TransportCrypto

/// Which side of the DTLS handshake this side takes, by the peer's `a=setup` (RFC 8842 §5.3).
///
/// A description without the attribute means `active` (RFC 4145 §4.1).
enum DTLSRoleNegotiation {
  /// The role of the one that answers.
  ///
  /// - Parameter preferred: taken where the offer leaves the choice.
  static func role(answering setup: SDPSetup?, preferred: DTLSRole) -> DTLSRole {
    switch setup {
    case .actpass: preferred
    case .passive: .client
    case .active, .holdconn, nil: .server
    }
  }

  /// The role of the one that offered; throws where the answer leaves the choice.
  static func role(answeredWith setup: SDPSetup?) throws(NegotiationError) -> DTLSRole {
    switch setup {
    case .active, nil: .server
    case .passive: .client
    case .actpass, .holdconn: throw .undecidedDTLSRole
    }
  }
}
