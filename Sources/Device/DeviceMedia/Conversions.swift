import ICE
import MediaPlaneAPI
import PeerSession
import Signalling

extension MediaEndReason {
  init(_ end: PeerSessionEnd) {
    switch end {
    case .closedByPeer, .closed: self = .closed
    case .iceFailed, .consentExpired, .dtlsFailed: self = .connectionLost
    }
  }
}

extension ICEServerDescription {
  /// The hub's words in those of the network loop.
  init(_ server: ICEServer) {
    self.init(urls: server.urls, username: server.username ?? "", credential: server.credential ?? "")
  }
}
