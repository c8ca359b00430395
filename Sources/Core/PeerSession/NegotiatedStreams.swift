import MediaCore
import SDP

/// What offer and answer agreed for each kind of media, as the media path needs it.
struct NegotiatedStreams {
  struct Stream {
    var payloadType: UInt8
    var rtxPayloadType: UInt8?
    /// The source of the peer's retransmissions, where the offer names it.
    var remoteRTXSSRC: UInt32?
    var mid: String?
    var midExtension: UInt8?
    var sends: Bool
    var receives: Bool
    /// The peer takes REMB.
    var hasReceiveLimit: Bool

    init(_ media: NegotiatedMedia) {
      payloadType = media.payloadType
      rtxPayloadType = media.rtxPayloadType
      remoteRTXSSRC = media.remoteRTXSSRC
      mid = media.mid
      midExtension = media.extensionIDs.mid
      sends = media.direction.sends
      receives = media.direction.receives
      hasReceiveLimit = media.feedback.contains(.receiverEstimatedMaximumBitrate)
    }
  }

  var audio: Stream?
  var video: Stream?

  /// Feedback may go without a report before it, RFC 5506, if each description agreed.
  let usesReducedSizeRTCP: Bool

  init(_ media: [NegotiatedMedia]) {
    audio = media.first { $0.kind == .audio }.map(Stream.init)
    video = media.first { $0.kind == .video }.map(Stream.init)
    usesReducedSizeRTCP = media.allSatisfy(\.usesReducedSizeRTCP)
  }
}
