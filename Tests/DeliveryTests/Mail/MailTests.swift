import Foundation
import Testing

@testable import Delivery

@Suite struct MailTests {
  private let ann = MailAddress("ann@example.org")!

  private func message(_ subject: String, text: String = "Hello\n", image: MailMessage.Image? = nil) -> String {
    let message = MailMessage(
      sender: MailAddress("gate@example.org"), recipients: [ann, MailAddress("bob@example.net")!], subject: subject,
      text: text, image: image)
    return String(decoding: message.octets(at: 1_795_590_309, boundary: 35), as: UTF8.self)
  }

  @Test func aPlainMessage() {
    #expect(
      message("Gate: motion at \"yard\"") == """
        From: gate@example.org
        To: ann@example.org,
         bob@example.net
        Subject: Gate: motion at "yard"
        Date: Wed, 25 Nov 2026 07:05:09 +0000
        Auto-Submitted: auto-generated
        MIME-Version: 1.0
        Content-Type: multipart/mixed; boundary="=_z"

        --=_z
        Content-Type: text/plain; charset=utf-8
        Content-Transfer-Encoding: base64

        SGVsbG8K
        --=_z--

        """)
  }

  @Test func aPictureIsAttachedInLinesOf76() throws {
    let bytes = (0..<200).map { UInt8($0) }
    let text = message("a", image: .init(name: "a b\"\n.jpg", bytes: bytes))
    #expect(text.contains("Content-Disposition: attachment; filename=\"ab.jpg\"\n\n"))
    let part = try #require(text.components(separatedBy: "filename=\"ab.jpg\"\n\n").last)
    let lines = part.components(separatedBy: "\n--").first?.components(separatedBy: "\n") ?? []
    #expect(lines.map(\.count) == [76, 76, 76, 40])
    #expect(Data(base64Encoded: lines.joined()).map { Array($0) } == bytes)
  }

  @Test(arguments: [
    "a\nBcc: eve@example.org", "a\r\nBcc: eve@example.org\r\n\r\nbody", "\u{2028}Bcc: x", "=?utf-8?B?QQ==?=",
    "Tür\u{0}",
    String(repeating: "é", count: 500), "🚪🔔" + String(repeating: "x", count: 300),
  ])
  func noSubjectEndsItsHeader(_ subject: String) throws {
    let text = message(subject)
    #expect(!text.contains("Bcc"))
    let begin = try #require(text.components(separatedBy: "\nSubject: ").last)
    let header = try #require(begin.components(separatedBy: "\nDate: ").first)
    var octets = Data()
    for word in header.components(separatedBy: "\n ") {
      #expect(word.count <= 75)
      #expect(word.hasPrefix("=?utf-8?B?") && word.hasSuffix("?="))
      let part = try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2))))
      #expect(String(data: part, encoding: .utf8) != nil, "no scalar is cut")
      octets += part
    }
    #expect(String(decoding: octets, as: UTF8.self) == subject)
  }

  @Test(arguments: ["a@b", "ann.b+c@example.org", "o'neil@example.org", "x@[broken".replacing("[", with: "")])
  func addresses(_ text: String) { #expect(MailAddress(text)?.text == text) }

  @Test(arguments: [
    "", "a", "@b", "a@", "a@b@c", "a b@c", "a@b,c@d", "a@b\nBcc: c@d", "\"a\"@b", "Ann <a@b>", "a..b@c", ".a@b", "a@b.",
    "-f@b", "ä@b", "a@b\0", String(repeating: "a", count: 65) + "@b", "a@" + String(repeating: "b", count: 253),
  ])
  func noAddresses(_ text: String) { #expect(MailAddress(text) == nil) }

  @Test(
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"),
      (951_868_799, "Tue, 29 Feb 2000 23:59:59 +0000"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 +0000"),
      (-5, "Thu, 01 Jan 1970 00:00:00 +0000"), (.max, "Fri, 31 Dec 9999 23:59:59 +0000"),
    ] as [(Int64, String)])
  func dates(_ seconds: Int64, _ text: String) { #expect(MailDate.text(seconds) == text) }

  @Test(arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")])
  func base64(_ plain: String, _ text: String) { #expect(Base64.text(Array(plain.utf8)) == text) }
}
