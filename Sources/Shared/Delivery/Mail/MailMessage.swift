/// A mail with a text and maybe an image, as RFC 5322 and MIME (RFC 2045) write it.
///
/// No input can end a header: addresses have no line ends by their type, the subject is written as an
/// encoded word (RFC 2047) unless it is plain ASCII, and text and image are in base64.
public struct MailMessage: Sendable, Hashable {
  /// An image attached to the text.
  public struct Image: Sendable, Hashable {
    /// Letters, digits, `.`, `-` and `_`; others are dropped.
    public var name: String
    /// JPEG.
    public var bytes: [UInt8]

    public init(name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }
  }

  /// Nil lets the mail system write it.
  public var sender: MailAddress?
  public var recipients: [MailAddress]
  public var subject: String
  /// Lines that end in `\n`.
  public var text: String
  public var image: Image?

  public init(sender: MailAddress?, recipients: [MailAddress], subject: String, text: String, image: Image? = nil) {
    self.sender = sender
    self.recipients = recipients
    self.subject = subject
    self.text = text
    self.image = image
  }

  /// The message with lines that end in `\n`, as `sendmail -t` takes it.
  ///
  /// - Parameters:
  ///   - time: seconds since 1970.
  ///   - boundary: any number; separates the parts, which cannot hold it since they are in base64.
  public func octets(at time: Int64, boundary: UInt64) -> [UInt8] {
    let boundary = "=_\(String(boundary, radix: 36))"
    var lines = sender.map { ["From: \($0)"] } ?? []
    lines.append("To: " + recipients.map { $0.text }.joined(separator: ",\n "))
    lines += [
      "Subject: \(EncodedWord.text(subject))", "Date: \(MailDate.text(time))", "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=\"\(boundary)\"", "", "--\(boundary)",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "",
    ]
    lines += Base64.lines(Array(text.utf8))
    if let image { lines += ["--\(boundary)"] + image.lines }
    lines += ["--\(boundary)--", ""]
    return Array(lines.joined(separator: "\n").utf8)
  }
}

extension MailMessage.Image {
  fileprivate var lines: [String] {
    let name = String(
      self.name.unicodeScalars.filter { scalar in
        scalar.isASCII
          && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-_.".unicodeScalars.contains(scalar))
      }.map(Character.init))
    return [
      "Content-Type: image/jpeg; name=\"\(name)\"", "Content-Transfer-Encoding: base64",
      "Content-Disposition: attachment; filename=\"\(name)\"", "",
    ] + Base64.lines(bytes)
  }
}

/// Text of a header (RFC 2047 §2).
enum EncodedWord {
  /// Octets of text in a word: 75 characters hold `=?utf-8?B?`, `?=` and 60 of base64.
  private static let longestPart = 45
  /// A header's line has 998 characters at most (RFC 5322 §2.1.1).
  private static let longestPlain = 200

  /// As it is where that is plain ASCII, else as encoded words on lines of their own, none of which cuts a scalar.
  static func text(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (32...126).contains($0) } && !hasWordStart(text)
    if isPlain, text.utf8.count <= longestPlain { return text }
    var (words, part) = ([String](), [UInt8]())
    for scalar in text.unicodeScalars {
      let octets = Array(String(Character(scalar)).utf8)
      if part.count + octets.count > longestPart {
        words.append(word(part))
        part = []
      }
      part += octets
    }
    if !part.isEmpty { words.append(word(part)) }
    return words.joined(separator: "\n ")
  }

  /// Whether a reader would take something in it for an encoded word.
  private static func hasWordStart(_ text: String) -> Bool {
    zip(text.utf8, text.utf8.dropFirst()).contains { $0 == UInt8(ascii: "=") && $1 == UInt8(ascii: "?") }
  }

  private static func word(_ octets: [UInt8]) -> String { "=?utf-8?B?\(Base64.text(octets))?=" }
}
