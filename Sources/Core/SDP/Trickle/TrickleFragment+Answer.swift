extension TrickleFragment {
  /// What the answer to an ICE restart says of ICE: credentials and candidates of the first media description that has
  /// some, since all are bundled.
  ///
  /// - Parameter more: candidates that came behind the answer, from `candidate:` on.
  public init(_ answer: SDPSession, more: [String] = []) {
    let section = answer.media.first { !$0.isRefused && $0.transport.iceUsernameFragment != nil }
    iceUsernameFragment = section?.transport.iceUsernameFragment
    icePassword = section?.transport.icePassword
    var media = Media(mid: section?.mid)
    media.candidates = (section?.candidates ?? []).map { $0.description } + more
    media.hasEndOfCandidates = true
    self.media = [media]
  }

  /// The fragment as it is sent.
  public var text: String {
    var lines: [String] = []
    if let iceUsernameFragment { lines.append("a=ice-ufrag:\(iceUsernameFragment)") }
    if let icePassword { lines.append("a=ice-pwd:\(icePassword)") }
    for media in media {
      lines.append("m=audio 9 UDP/TLS/RTP/SAVPF 0")
      if let mid = media.mid { lines.append("a=mid:\(mid)") }
      lines += media.candidates.map { "a=\($0)" }
      if media.hasEndOfCandidates { lines.append("a=end-of-candidates") }
    }
    return lines.joined(separator: "\r\n") + "\r\n"
  }
}
