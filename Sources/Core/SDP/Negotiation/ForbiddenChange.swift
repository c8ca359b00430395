public import MediaCore
import TransportCrypto

/// What a later offer or answer changed although it has to stay for the whole session.
///
/// Packets in flight, the retransmission history and the keys depend on it.
public enum ForbiddenChange: Error, Hashable, Sendable {
  /// A media description is gone, or has another kind or id than the one agreed in its place (RFC 3264 §8).
  case media(index: Int)
  /// The payload type no longer stands for its codec (RFC 3264 §8.3.2).
  case payloadType(UInt8)
  /// The number no longer stands for its header extension (RFC 8285 §5).
  case headerExtension(id: UInt8)
  /// Feedback that is in use is no longer offered.
  case feedback(MediaKind)
  /// The certificate, which would need a new DTLS association (RFC 8842 §4).
  case fingerprint
  case dtlsRole
}

extension ForbiddenChange: CustomStringConvertible {
  /// The change, for a log.
  public var description: String {
    switch self {
    case .media(let index): "media description \(index + 1) has changed its kind or id, or is gone"
    case .payloadType(let number): "payload type \(number) has changed its meaning within the session"
    case .headerExtension(let id): "header extension \(id) has changed its meaning within the session"
    case .feedback(let kind): "feedback that is in use for \(kind.name) is no longer offered"
    case .fingerprint: "the certificate's fingerprint has changed within the session"
    case .dtlsRole: "the DTLS role has changed within the session"
    }
  }
}

extension NegotiatedSession {
  /// Throws if a later offer does not keep the order of agreed descriptions.
  func checkPlaces(in later: SDPSession) throws(ForbiddenChange) {
    for (index, section) in sections.enumerated() {
      guard index < later.media.count else { throw .media(index: index) }
      // A refused description may be reused (RFC 8829 §5.2.2).
      guard let agreed = section.media else { continue }
      let media = later.media[index]
      guard media.kind == agreed.kind, media.isRefused || media.mid == agreed.mid else { throw .media(index: index) }
    }
  }

  /// Throws if the DTLS association could not continue.
  func checkAssociation(_ later: NegotiatedTransport) throws(ForbiddenChange) {
    guard Set(later.remoteFingerprints) == Set(transport.remoteFingerprints) else { throw .fingerprint }
    guard later.role == transport.role else { throw .dtlsRole }
  }
}
