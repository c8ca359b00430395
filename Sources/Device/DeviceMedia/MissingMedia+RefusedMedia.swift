import MediaPlaneAPI
import SDP

extension MissingMedia {
  init(_ refused: RefusedMedia) {
    self.init(kind: refused.kind, reason: Reason(refused.reason), text: "\(refused)")
  }
}

extension MissingMedia.Reason {
  fileprivate init(_ reason: MediaRefusal) {
    switch reason {
    case .portZero, .otherCodecs: self = .noCommonCodec
    case .otherProtocol, .plainRTP, .sdes: self = .notEncrypted
    case .noMultiplexing: self = .noMultiplexing
    case .notBundled: self = .notBundled
    }
  }
}
