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

  /// The host candidates of addresses, best first.
  static func hosts(_ addresses: [TransportAddress]) -> [ICECandidate] {
    addresses.enumerated().map { .host($1, localPreference: .max - UInt16(clamping: $0)) }
  }
}

extension Candidate {
  /// A candidate of this side as it is signalled.
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
    relatedHost = candidate.base.host
    relatedPort = candidate.base.port
  }
}
