import MediaCore

/// Parses session descriptions (RFC 8866) into ``SDPSession`` values.
///
/// Lines and attributes that are not known are skipped, and so are those that are malformed, unless a call depends on
/// them: the version, `m=` lines, ICE credentials, fingerprints and `a=setup`. A description is at most 64 KiB with 32
/// media descriptions.
public struct SessionDescriptionParser {
  /// Octets of a description at most.
  public static let maximumByteCount = 65_536
  /// Media descriptions at most.
  public static let maximumMediaCount = 32
  /// Lines that ``SDPSession/skippedLines`` names at most.
  public static let maximumSkippedLines = 16

  private var session = SDPSession()
  private var sessionTransport = SDPTransport()
  private var sessionDirection: MediaDirection?
  private var mediaDirection: MediaDirection?
  private var lineNumber = 0

  private init() {}

  /// Parses a whole description; lines may end in CRLF or LF.
  ///
  /// - Throws: ``SDPError``, which names the line.
  public static func parse(_ text: String) throws(SDPError) -> SDPSession {
    guard text.utf8.count <= maximumByteCount else { throw SDPError(.tooLong, line: 0) }
    var parser = SessionDescriptionParser()
    for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      parser.lineNumber += 1
      try parser.take(line)
    }
    guard parser.lineNumber > 0 else { throw SDPError(.unsupportedVersion, line: 1) }
    parser.finishMedia()
    return parser.session
  }

  private mutating func take(_ raw: Substring.UTF8View) throws(SDPError) {
    var line = raw
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard lineNumber > 1 else {
      guard line.elementsEqual("v=0".utf8) else { throw failure(.unsupportedVersion) }
      return
    }
    // Some senders end with an empty line.
    guard !line.isEmpty else { return }
    guard line.count >= 2, line[line.index(after: line.startIndex)] == UInt8(ascii: "="),
      line.allSatisfy({ $0 >= 0x20 || $0 == 0x09 })
    else { return skip(.malformedLine) }
    let value = String(Substring(line.dropFirst(2)))
    switch line[line.startIndex] {
    case UInt8(ascii: "o"): takeOrigin(value)
    case UInt8(ascii: "m"): try takeMedia(value)
    case UInt8(ascii: "b"): takeBandwidth(value)
    case UInt8(ascii: "a"): try takeAttribute(value)
    default: break
    }
  }

  /// The user's name before the five fields may be missing, or have blanks: nothing depends on it.
  private mutating func takeOrigin(_ value: String) {
    let fields = Array(words(value).suffix(5))
    guard fields.count == 5 else { return skip(.malformedLine) }
    session.sessionID = fields[0]
    session.sessionVersion = fields[1]
  }

  private mutating func takeMedia(_ value: String) throws(SDPError) {
    finishMedia()
    guard session.media.count < Self.maximumMediaCount else { throw failure(.tooManyMedia) }
    let fields = words(value)
    // A port may be followed by a slash and a count, which RTP no longer uses.
    guard fields.count >= 4, isToken(fields[0]), let port: UInt16 = decimal(divide(fields[1], at: "/").head) else {
      throw failure(.malformedMedia)
    }
    session.media.append(SDPMedia(name: fields[0], port: port, protocolName: fields[2], formats: Array(fields[3...])))
  }

  /// Of the session, and of other kinds, it is of no interest. A rate of 0 stands for one that is not known.
  private mutating func takeBandwidth(_ value: String) {
    guard !session.media.isEmpty else { return }
    let (kind, tail) = divide(value, at: ":")
    let last = session.media.count - 1
    guard kind == "TIAS" || kind == "AS" else { return }
    guard let number: UInt32 = decimal(tail ?? "") else { return skip(.malformedLine) }
    guard number > 0 else { return }
    if kind == "TIAS" {
      session.media[last].transportIndependentBandwidth = Bitrate(bitsPerSecond: Int(clamping: number))
    } else {
      session.media[last].applicationBandwidth = Bitrate(bitsPerSecond: Int(clamping: UInt64(number) * 1_000))
    }
  }

  /// Completes the media description read last.
  private mutating func finishMedia() {
    guard !session.media.isEmpty else { return }
    let last = session.media.count - 1
    session.media[last].transport.inherit(sessionTransport)
    session.media[last].direction = mediaDirection ?? sessionDirection ?? .sendrecv
    mediaDirection = nil
  }

  private mutating func skip(_ reason: SDPError.Reason) {
    guard session.skippedLines.count < Self.maximumSkippedLines else { return }
    session.skippedLines.append(failure(reason))
  }

  private func failure(_ reason: SDPError.Reason) -> SDPError { SDPError(reason, line: lineNumber) }
}

// MARK: - Attributes

extension SessionDescriptionParser {
  private mutating func takeAttribute(_ text: String) throws(SDPError) {
    let (head, tail) = divide(text, at: ":")
    let (name, value) = (trimmed(head[...]), trimmed((tail ?? "")[...]))
    if let direction = MediaDirection(rawValue: name) {
      if session.media.isEmpty { sessionDirection = direction } else { mediaDirection = direction }
      return
    }
    let isAccepted: Bool
    if session.media.isEmpty {
      isAccepted = takeSessionAttribute(name, value)
    } else {
      let last = session.media.count - 1
      isAccepted =
        session.media[last].transport.take(name, value) && session.media[last].take(name, value)
    }
    guard !isAccepted else { return }
    guard !SDPTransport.isEssential(name) else { throw failure(.malformedAttribute(name)) }
    skip(.malformedAttribute(name))
  }

  private mutating func takeSessionAttribute(_ name: String, _ value: String) -> Bool {
    switch name {
    case "ice-lite":
      session.isICELite = true
    case "group":
      let fields = words(value)
      guard let semantics = fields.first, fields.count <= 1 + Self.maximumMediaCount else { return false }
      if semantics == "BUNDLE" { session.bundleGroups.append(Array(fields.dropFirst())) }
    default:
      return sessionTransport.take(name, value)
    }
    return true
  }
}
