import MediaPlaneAPI
import PeerSession

extension MediaEndReason {
  init(_ end: PeerSessionEnd) {
    switch end {
    case .closedByPeer, .closed: self = .closed
    case .iceFailed, .consentExpired, .dtlsFailed: self = .connectionLost
    }
  }
}
