import MediaCore
import SDP
import TransportCrypto

/// An offer as a browser writes it, with what a test wants to vary.
struct OfferTemplate {
  static let audioPayloadType: UInt8 = 111
  static let telephoneEventType: UInt8 = 110
  static let videoPayloadType: UInt8 = 96
  static let rtxPayloadType: UInt8 = 97
  /// Header extensions.
  static let audioLevel: UInt8 = 1
  static let mid: UInt8 = 3
  static let transportSequence: UInt8 = 5
  static let sendTime: UInt8 = 6
  static let streamID: UInt8 = 7
  static let transportSequenceURI = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

  private static func extensionLine(_ name: String, _ id: Int) -> String {
    "a=extmap:\(id) urn:ietf:params:rtp-hdrext:\(name)"
  }

  var usernameFragment = "peer"
  var password = "0123456789abcdefghijklmn"
  var fingerprint = CertificateFingerprint(algorithm: "sha-256", digest: Array(repeating: 0xAB, count: 32))
  var setup = "actpass"
  /// The values of `a=candidate` lines, name included.
  var candidates: [String] = []
  /// The directions; nil leaves the description out.
  var audio: String? = "sendrecv"
  var video: String? = "sendrecv"
  var hasDataChannel = false
  /// The peer only answers connectivity checks.
  var isLite = false
  var hasTelephoneEvents = false
  var hasRTX = true
  var hasReducedSize = true
  /// Offers the times at which packets leave, without transport-wide sequence numbers.
  var hasSendTime = false
  /// Offers transport-wide sequence numbers and their feedback, levels of sound and the names of simulcast streams.
  var hasTransportWide = false
  /// The values of `a=rtcp-fb` of the video description.
  var videoFeedback = ["goog-remb", "ccm fir", "nack", "nack pli"]
  /// `b=` lines of the video description.
  var videoBandwidth: [String] = []
  /// `a=ssrc` and `a=ssrc-group` lines of the video description.
  var videoSources: [String] = []

  var text: String { lines.map { $0 + "\r\n" }.joined() }

  var lines: [String] {
    var mids: [String] = []
    if audio != nil { mids.append("a") }
    if video != nil { mids.append("v") }
    if hasDataChannel { mids.append("d") }
    var lines = ["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE \(mids.joined(separator: " "))"]
    if isLite { lines.append("a=ice-lite") }
    if let audio { lines += audioLines(audio) }
    if let video { lines += videoLines(video) }
    if hasDataChannel {
      lines += ["m=application 9 UDP/DTLS/SCTP webrtc-datachannel"] + transportLines("d") + ["a=sctp-port:5000"]
    }
    return lines
  }

  private func audioLines(_ direction: String) -> [String] {
    ["m=audio 9 UDP/TLS/RTP/SAVPF 111\(hasTelephoneEvents ? " 110" : "")"] + transportLines("a") + mediaLines(direction)
      + ["a=rtpmap:111 opus/48000/2", "a=fmtp:111 minptime=10;useinbandfec=1"]
      + (hasTelephoneEvents ? ["a=rtpmap:110 telephone-event/48000"] : [])
      + (hasTransportWide ? ["a=rtcp-fb:111 transport-cc", Self.extensionLine("ssrc-audio-level", 1)] : [])
  }

  private func videoLines(_ direction: String) -> [String] {
    var lines = ["m=video 9 UDP/TLS/RTP/SAVPF \(hasRTX ? "96 97" : "96")"] + videoBandwidth
    lines += transportLines("v") + mediaLines(direction)
    lines += ["a=rtpmap:96 VP8/90000"]
    lines += videoFeedback.map { "a=rtcp-fb:96 \($0)" }
    if hasTransportWide {
      lines += ["a=rtcp-fb:96 transport-cc", Self.extensionLine("sdes:rtp-stream-id", Int(Self.streamID))]
    }
    if hasRTX { lines += ["a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96"] }
    return lines + videoSources
  }

  private func mediaLines(_ direction: String) -> [String] {
    var lines = [Self.extensionLine("sdes:mid", Int(Self.mid)), "a=\(direction)", "a=rtcp-mux"]
    if hasTransportWide {
      lines.append("a=extmap:\(Self.transportSequence) \(Self.transportSequenceURI)")
    }
    if hasTransportWide || hasSendTime {
      lines.append("a=extmap:\(Self.sendTime) http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time")
    }
    if hasReducedSize { lines.append("a=rtcp-rsize") }
    return lines
  }

  private func transportLines(_ mid: String) -> [String] {
    ["c=IN IP4 0.0.0.0"] + candidates.map { "a=\($0)" }
      + [
        "a=ice-ufrag:\(usernameFragment)", "a=ice-pwd:\(password)", "a=ice-options:trickle",
        "a=fingerprint:\(fingerprint.sdp)", "a=setup:\(setup)", "a=mid:\(mid)",
      ]
  }
}
