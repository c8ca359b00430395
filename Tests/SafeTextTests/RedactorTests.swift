import SafeText
import Testing

@Suite("What goes to strangers")
struct RedactorTests {
  private func redacted(_ text: String, known: Set<String> = []) -> String {
    let words = "call from refused at port the camera delivers no frame video kbit vp x answered by rule dev status"
    var redactor = Redactor(vocabulary: Set(words.split(separator: " ").map { String($0) }), known: known)
    return redactor.redacted(text)
  }

  @Test("words that are not the program's go, the same by the same number")
  func words() {
    #expect(redacted("call from Ann refused: Ann, Zoë") == "call from <1> refused: <1>, <2>")
    #expect(redacted("the camera delivers no frame") == "the camera delivers no frame")
  }

  @Test("what is known goes although its words are the program's, but not within another word")
  func known() {
    #expect(redacted("call from the camera at port", known: ["the camera"]) == "call from <1> at port")
    #expect(redacted("camera cameras", known: ["camera"]) == "<1> <2>")
    #expect(redacted("4711, 47110", known: ["4711"]) == "<1>, 47110")
    // The longest wins; what is too short is left to the other rules.
    #expect(redacted("rule rule answered", known: ["rule", "rule answered", "by"]) == "<1> <2>")
  }

  @Test(
    "addresses, positions and identifiers go by their shape",
    arguments: [
      "192.0.2.17", "192.0.2.17:5060", "2001:db8::1", "fe80::1%eth0", "::1", "2001:db8:1:2:3:4:5:6",
      "00:1a:2b:3c:4d:5e", "00-1A-2B-3C-4D-5E", "https://ann:secret@hub.example/v1?token=abc#x", "rtsp://10.0.0.1/a",
      "ann@hub.example", "52.5163", "+491711234567", "+49 171 2345678", "u-77281aa9", "eyJhbGciOi", "a81bc81b",
      "0123456789", "5f4dcc3b5aa765d61d8327de",
    ])
  func shapes(_ text: String) {
    for line in [text, "at \(text), refused", "(\(text))", "x=\(text);"] {
      let output = redacted(line)
      for part in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) where part.count > 3 && part != "5060" {
        #expect(!output.contains(part), "\(line) became \(output)")
      }
    }

  }

  @Test(
    "numbers, times and sizes stay",
    arguments: [
      "640x480", "800 kbit", "2026-11-26T15:00:00", "15:00:00", "3.25", "port 40001", "vp8", "status 401", "12%",
    ])
  func numbers(_ text: String) {
    #expect(redacted(text).replacing("<1>", with: "T").replacing("T", with: "") == text.replacing("T", with: ""))
  }

  @Test("punctuation, line feeds and odd scalars do not disturb it")
  func odd() {
    #expect(redacted("call\n\n from\t\"Ann\"") == "call\n\n from\t\"<1>\"")
    #expect(redacted("") == "")
    #expect(redacted("👩‍👩‍👧 Ann") != "👩‍👩‍👧 Ann")
    #expect(!redacted(String(repeating: "a1", count: 5_000)).contains("a1"))
  }
}
