import ICE
import MediaCore
import SDP

extension Candidate {
  /// A candidate of this side as it is signalled (RFC 8839 §5.1).
  ///
  /// Of a relayed one, the related address would only tell where this side is, so it is left empty.
  init(local candidate: ICECandidate) {
    let kind: Kind =
      switch candidate.kind {
      case .host: .host
      case .serverReflexive: .serverReflexive
      case .peerReflexive: .peerReflexive
      case .relayed: .relay
      }
    self.init(
      foundation: candidate.foundation, priority: candidate.priority, host: candidate.address.host,
      port: candidate.address.port, kind: kind)
    guard kind != .host else { return }
    relatedHost = kind == .relay ? (candidate.address.isIPv6 ? "::" : "0.0.0.0") : candidate.base.host
    relatedPort = kind == .relay ? 0 : candidate.base.port
  }
}
