import FoundationEssentials
import SafeText
import Testing

@Suite("Text from outside")
struct SafeTextTests {
  @Test(
    "controls are written out",
    arguments: [
      ("a\nb", #"a\nb"#), ("a\r\nb", #"a\r\nb"#), ("\ta", #"\ta"#), ("\u{1B}[2J", #"\u{1B}[2J"#),
      ("\u{1B}]52;c;QQ==\u{07}", #"\u{1B}]52;c;QQ==\u{7}"#), ("\u{7F}\u{9B}31m", #"\u{7F}\u{9B}31m"#),
      ("\u{0}", #"\u{0}"#), ("\u{2028}\u{2029}\u{85}", #"\u{2028}\u{2029}\u{85}"#),
      ("evil\u{202E}txt.exe", #"evil\u{202E}txt.exe"#),
      ("\u{2066}\u{2069}\u{61C}\u{200F}", #"\u{2066}\u{2069}\u{61C}\u{200F}"#),
      ("\u{FEFF}\u{200B}", #"\u{FEFF}\u{200B}"#), ("\u{E0041}", #"\u{E0041}"#),
    ])
  func escapes(text: String, escaped: String) {
    #expect(text.escapingControls == escaped)
    #expect(escaped.escapingControls == escaped)
  }

  @Test(
    "what only shows stays",
    arguments: ["", "Front gate", "Tür – 門 – باب", "e\u{301}", "👩\u{200D}👩\u{200D}👧", #"C:\new"#, "\u{FFFD}"])
  func keeps(text: String) { #expect(text.escapingControls == text) }

  @Test("no control scalar survives")
  func allScalars() {
    for value in Array(0..<0x20) + Array(0x7F...0x9F) + Array(0x202A...0x202E) + Array(0x2066...0x2069) as [UInt32] {
      let scalar = Unicode.Scalar(value)!
      #expect(!"a\(scalar)b".escapingControls.unicodeScalars.contains(scalar))
    }
  }

  @Test("bytes that are no UTF-8 become replacement characters, not controls")
  func invalidUTF8() {
    let text = String(decoding: [0x41, 0xC2, 0x9B, 0x9B, 0xFF, 0xC0, 0x8A, 0x0A] as [UInt8], as: UTF8.self)
    let escaped = text.escapingControls
    #expect(escaped.hasPrefix(#"A\u{9B}"#))
    #expect(escaped.hasSuffix(#"\n"#))
    #expect(escaped.utf8.allSatisfy { $0 >= 0x20 })
  }

  @Test("line feeds that are meant stay, alone")
  func lines() { #expect("a\r\nb\n\u{1B}c".escapingControlsInLines == "a\\r\nb\n\\u{1B}c") }

  @Test("JSON stays the same value and holds no control")
  func json() throws {
    let texts = ["a\u{9B}b", "\u{202E}", "\u{7F}", "\u{E0041}", "\r\n\u{1B}", "門"]
    let plain = String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    let safe = plain.escapingControlsInJSON
    #expect(safe.escapingControls == safe)
    #expect(try JSONDecoder().decode([String].self, from: Data(safe.utf8)) == texts)
  }
}

@Suite("Passwords of URLs") struct URLPasswordTests {
  @Test(arguments: [
    ("rtsp://me:secret@10.0.0.8/a: refused", "rtsp://me:…@10.0.0.8/a: refused"),
    ("\"rtsp://me:a@b@host\" and http://x:y@z?q", "\"rtsp://me:…@host\" and http://x:…@z?q"),
    ("http://host:80/path@2", "http://host:80/path@2"), ("rtsp://me@host", "rtsp://me@host"),
    ("mail me@example.org: no", "mail me@example.org: no"), ("://", "://"), ("", ""),
    ("redis://:secret@127.0.0.1", "redis://:…@127.0.0.1"),
  ])
  func areLeftOut(text: String, shown: String) {
    #expect(text.hidingURLPasswords == shown)
    #expect(shown.hidingURLPasswords == shown)
  }
}
