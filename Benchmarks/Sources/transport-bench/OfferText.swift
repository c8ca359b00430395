/// An offer as a browser writes it: sound and pictures both ways, with what calls agree on today.
struct OfferText {
  let text: String

  init(text: String) { self.text = text }

  /// An offer of nobody, to learn what an answer to it holds.
  static func nobody(_ fingerprint: String) -> OfferText {
    OfferText(usernameFragment: "none", password: "0123456789abcdefghijklmn", fingerprint)
  }

  /// An offer in the name of whoever made `answer`.
  init(answeredBy answer: String, _ fingerprint: String) {
    self.init(
      usernameFragment: answer.value(of: "a=ice-ufrag:"), password: answer.value(of: "a=ice-pwd:"), fingerprint)
  }

  private init(usernameFragment: String, password: String, _ fingerprint: String) {
    func common(_ mid: String) -> [String] {
      [
        "c=IN IP4 0.0.0.0", "a=ice-ufrag:\(usernameFragment)", "a=ice-pwd:\(password)", "a=ice-options:trickle",
        "a=fingerprint:\(fingerprint)", "a=setup:actpass", "a=mid:\(mid)", "a=sendrecv", "a=rtcp-mux", "a=rtcp-rsize",
        "a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid",
        "a=extmap:5 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
        "a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
      ]
    }
    let audio =
      ["m=audio 9 UDP/TLS/RTP/SAVPF 111"] + common("a") + [
        "a=rtpmap:111 opus/48000/2", "a=fmtp:111 minptime=10;useinbandfec=1", "a=rtcp-fb:111 transport-cc",
        "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
      ]
    let video =
      ["m=video 9 UDP/TLS/RTP/SAVPF 96 97"] + common("v") + ["a=rtpmap:96 VP8/90000"]
      + ["goog-remb", "ccm fir", "nack", "nack pli", "transport-cc"].map { "a=rtcp-fb:96 \($0)" }
      + ["a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96"]
    let lines = ["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE a v"] + audio + video
    text = lines.map { $0 + "\r\n" }.joined()
  }
}

extension String {
  /// What follows `prefix` in the first line that has it; empty when none has.
  func value(of prefix: String) -> String {
    split(whereSeparator: \.isNewline).first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) } ?? ""
  }
}
