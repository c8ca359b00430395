import MediaCore

/// A request to a TURN server that awaits its answer.
struct TURNTransaction {
  enum Purpose: Hashable {
    case allocate
    case refresh
    /// The refresh with lifetime 0 that ends the allocation.
    case release
    case permission(TransportAddress)
    case channel(UInt16, TransportAddress)
  }

  /// How often a request is retried because its nonce was stale.
  static let staleLimit = 3

  var id: STUNTransactionID
  let purpose: Purpose
  /// Sent with credentials, so that its answer has to be signed.
  var isAuthenticated = false
  var staleCount = 0
  var backOff: STUNRetransmissionTimer

  var method: STUNMethod {
    switch purpose {
    case .allocate: .allocate
    case .refresh, .release: .refresh
    case .permission: .createPermission
    case .channel: .channelBind
    }
  }
}
