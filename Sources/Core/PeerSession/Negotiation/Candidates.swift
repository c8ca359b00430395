import ICE
import MediaCore
import SDP

extension ICECandidate {
  /// A candidate as the peer signalled it; nil for TCP, names, and components other than RTP.
  init?(remote candidate: Candidate) {
    guard candidate.isUsable, let address = candidate.address else { return nil }
    let kind: ICECandidateKind =
      switch candidate.kind {
      case .host: .host
      case .serverReflexive: .serverReflexive
      case .peerReflexive: .peerReflexive
      case .relay: .relayed
      }
    self.init(
      kind: kind, address: address, base: address, priority: candidate.priority, foundation: candidate.foundation)
  }
}

extension Candidate {
  /// A candidate of this side as it is signalled (RFC 8839 §5.1).
  ///
  /// A relayed candidate's related address would only disclose where this side is, so it is left empty.
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
