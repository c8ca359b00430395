/// What an ICE restart changes of a description, as `application/trickle-ice-sdpfrag` (RFC 8840 §9, RFC 9725 §4.3.3).
public struct ICERestartFragment: Sendable, Hashable {
  /// Octets of a fragment at most.
  public static let maximumByteCount = 16_384
  /// Candidates of a fragment at most; further ones are left out.
  public static let maximumCandidateCount = 64

  public var usernameFragment: String
  public var password: String
  /// Values of `a=candidate` lines, `candidate:` among them.
  public var candidates: [String]

  /// Parses the fragment of a peer; nil without credentials that ICE permits.
  ///
  /// All media share one transport, so that it does not matter where a line stands.
  public init?(parsing text: String) {
    guard text.utf8.count <= Self.maximumByteCount else { return nil }
    var transport = SDPTransport()
    candidates = []
    for line in Self.lines(text) where line.hasPrefix("a=") {
      let attribute = String(line.dropFirst(2))
      if attribute.hasPrefix("candidate:") {
        let isRoom = candidates.count < Self.maximumCandidateCount
        if isRoom, Candidate(parsing: attribute) != nil { candidates.append(attribute) }
        continue
      }
      let (name, value) = divide(attribute, at: ":")
      if name == "ice-ufrag" || name == "ice-pwd", !transport.take(name, trimmed((value ?? "")[...])) { return nil }
    }
    guard let fragment = transport.iceUsernameFragment, let password = transport.icePassword else { return nil }
    (usernameFragment, self.password) = (fragment, password)
  }

  private static func lines(_ text: String) -> [Substring] {
    text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
      line.last == UInt8(ascii: "\r") ? Substring(line.dropLast()) : Substring(line)
    }
  }

  /// The fragment of an offer of this side that restarts ICE, with CRLF behind each line; nil for a text that is none.
  public static func text(of offer: String) -> String? {
    var (session, media): ([Substring], [Substring]) = ([], [])
    var mediaCount = 0
    for line in lines(offer) {
      if line.hasPrefix("m=") { mediaCount += 1 }
      switch mediaCount {
      case 0: if line.hasPrefix("a=group:") { session.append(line) }
      case 1: if isOfFragment(line) { media.append(line) }
      default: break
      }
    }
    guard mediaCount > 0 else { return nil }
    // Credentials and options are of the session (RFC 8840 §9.2); the candidates, of the media that carry the transport.
    session += media.filter { $0.hasPrefix("a=ice-") }
    media.removeAll { $0.hasPrefix("a=ice-") }
    return (session + media).map { $0 + "\r\n" }.joined()
  }

  private static func isOfFragment(_ line: Substring) -> Bool {
    let wanted = [
      "m=", "a=mid:", "a=ice-ufrag:", "a=ice-pwd:", "a=ice-options:", "a=candidate:", "a=end-of-candidates",
    ]
    return wanted.contains { line.hasPrefix($0) }
  }

  /// The peer's description with what the restart has changed: the answer to the offer that restarts.
  public func applied(to description: String) -> String {
    var lines: [String] = []
    var mediaCount = 0
    for line in Self.lines(description) {
      if line.hasPrefix("a=candidate:") || line.hasPrefix("a=end-of-candidates") { continue }
      if line.hasPrefix("m=") {
        if mediaCount == 1 { lines += candidates.map { "a=\($0)" } }
        mediaCount = min(mediaCount + 1, 2)
      }
      lines.append(changed(line))
    }
    if mediaCount == 1 { lines += candidates.map { "a=\($0)" } }
    return lines.map { $0 + "\r\n" }.joined()
  }

  private func changed(_ line: Substring) -> String {
    if line.hasPrefix("a=ice-ufrag:") { return "a=ice-ufrag:\(usernameFragment)" }
    return line.hasPrefix("a=ice-pwd:") ? "a=ice-pwd:\(password)" : String(line)
  }
}
