/// A part of a session description that trickles candidates, or restarts ICE: `application/trickle-ice-sdpfrag`
/// (RFC 8840 §9, as RFC 9725 §4.3 and WHEP have clients send it).
///
/// ```
/// a=ice-ufrag:EsAw                    of the session, or of a media description
/// a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
/// m=audio 9 RTP/AVP 0
/// a=mid:0
/// a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host
/// a=end-of-candidates
/// ```
public struct TrickleFragment: Sendable, Hashable {
  /// The candidates of one media description.
  public struct Media: Sendable, Hashable {
    /// `a=mid`; nil where none is given.
    public var mid: String?
    /// Candidates as they were written, from `candidate:` on; those that are malformed or of an unknown kind are left out.
    public var candidates: [String] = []
    /// `a=end-of-candidates`.
    public var hasEndOfCandidates = false

    /// Without candidates.
    public init(mid: String? = nil) { self.mid = mid }
  }

  /// Octets of a fragment at most.
  public static let maximumByteCount = 16_384
  /// Candidates of all media descriptions at most; further ones are left out.
  public static let maximumCandidates = 64
  /// Media descriptions at most.
  public static let maximumMediaCount = 32

  /// Of the first description that has one.
  public var iceUsernameFragment: String?
  public var icePassword: String?
  /// In their order; candidates before the first `m=` line are in one without `mid`.
  public var media: [Media] = []

  /// Says nothing.
  public init() {}

  /// All candidates, and the end of candidates as an empty text, with the media description that each belongs to.
  public var candidates: [(candidate: String, mid: String?)] {
    media.flatMap { media in
      media.candidates.map { ($0, media.mid) } + (media.hasEndOfCandidates ? [("", media.mid)] : [])
    }
  }
}

extension TrickleFragment {
  /// Parses a fragment; lines may end in CRLF or LF. What is not known is skipped.
  ///
  /// - Throws: ``SDPError``, which names the line.
  public init(parsing text: String) throws(SDPError) {
    guard text.utf8.count <= Self.maximumByteCount else { throw SDPError(.tooLong, line: 0) }
    var number = 0
    for raw in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      var line = raw
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      guard !line.isEmpty else { continue }
      guard line.count >= 2, line[line.index(after: line.startIndex)] == UInt8(ascii: "="),
        line.allSatisfy({ (0x20...0x7E).contains($0) })
      else { throw SDPError(.malformedLine, line: number) }
      let value = String(decoding: line.dropFirst(2), as: UTF8.self)
      switch line[line.startIndex] {
      case UInt8(ascii: "m"): try beginMedia(line: number)
      case UInt8(ascii: "a"): try take(value, line: number)
      default: break
      }
    }
  }

  private mutating func beginMedia(line: Int) throws(SDPError) {
    guard media.count < Self.maximumMediaCount else { throw SDPError(.tooManyMedia, line: line) }
    media.append(Media())
  }

  private mutating func take(_ text: String, line: Int) throws(SDPError) {
    let (name, tail) = divide(text, at: ":")
    let value = trimmed((tail ?? "")[...])
    switch name {
    case "ice-ufrag", "ice-pwd": try takeCredential(name, value, line: line)
    case "mid":
      guard isVisible(value), !media.isEmpty else { throw SDPError(.malformedAttribute(name), line: line) }
      media[media.count - 1].mid = value
    case "candidate": takeCandidate(value)
    case "end-of-candidates": changeMedia { $0.hasEndOfCandidates = true }
    default: break
    }
  }

  private mutating func takeCredential(_ name: String, _ value: String, line: Int) throws(SDPError) {
    var transport = SDPTransport()
    guard transport.take(name, value) else { throw SDPError(.malformedAttribute(name), line: line) }
    iceUsernameFragment = iceUsernameFragment ?? transport.iceUsernameFragment
    icePassword = icePassword ?? transport.icePassword
  }

  private mutating func takeCandidate(_ value: String) {
    let count = media.reduce(0) { $0 + $1.candidates.count }
    guard count < Self.maximumCandidates, Candidate(parsing: value) != nil else { return }
    changeMedia { $0.candidates.append("candidate:\(value)") }
  }

  /// Changes the media description that was begun last.
  private mutating func changeMedia(_ change: (inout Media) -> Void) {
    if media.isEmpty { media.append(Media()) }
    change(&media[media.count - 1])
  }
}
