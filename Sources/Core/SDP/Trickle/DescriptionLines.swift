/// A description's text changed line by line, for those who pass it on: what they do not know stays as it is.
public enum DescriptionLines {
  /// The offer of a peer to whom no candidates are trickled: `trickle` is taken from its ICE options, so that the answer
  /// comes with all candidates (RFC 8838 §4.1.2). Its own candidates may follow all the same.
  public static func withoutTrickle(_ offer: String) -> String { edit(offer) { withoutTrickle(line: $0) } }

  /// The description with candidates of the answering side added to its first media description, and their end.
  ///
  /// - Parameter candidates: from `candidate:` on.
  public static func adding(_ candidates: [String], to answer: String) -> String {
    var isFirst = true
    return edit(answer) { line in
      if line == "a=end-of-candidates" { return nil }
      guard isFirst, line.hasPrefix("a=mid:") else { return line }
      isFirst = false
      return ([line] + candidates.map { "a=\($0)" } + ["a=end-of-candidates"]).joined(separator: "\r\n")
    }
  }

  /// The offer with which ICE restarts (RFC 8839 §4.4.1): other credentials, no candidates of before, a later version.
  public static func restarted(_ offer: String, usernameFragment: String, password: String) -> String {
    edit(offer) { line in
      if line.hasPrefix("a=ice-ufrag:") { return "a=ice-ufrag:\(usernameFragment)" }
      if line.hasPrefix("a=ice-pwd:") { return "a=ice-pwd:\(password)" }
      if line.hasPrefix("a=candidate:") || line == "a=end-of-candidates" { return nil }
      return line.hasPrefix("o=") ? withLaterVersion(line) : line
    }
  }

  private static func withoutTrickle(line: String) -> String? {
    let name = "a=ice-options:"
    guard line.hasPrefix(name) else { return line }
    let options = words(line.dropFirst(name.count)).filter { $0 != "trickle" }
    return options.isEmpty ? nil : name + options.joined(separator: " ")
  }

  /// The third field counts descriptions of a session (RFC 8866 §5.2).
  private static func withLaterVersion(_ line: String) -> String {
    var fields = words(line)
    guard fields.count >= 3, let version: UInt64 = decimal(fields[2]) else { return line }
    fields[2] = "\(version == .max ? 0 : version + 1)"
    return fields.joined(separator: " ")
  }

  private static func edit(_ text: String, _ change: (String) -> String?) -> String {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
    return lines.compactMap(change).map { $0 + "\r\n" }.joined()
  }
}
