import TestSupport
import Testing

@testable import HubCore

struct TitleTests {
  /// RFC 8266, section 3, table 1: the nicknames and the forms in which they are compared.
  @Test(
    "RFC 8266, section 3",
    arguments: [
      ("Foo", "foo"), ("foo", "foo"), ("Foo Bar", "foo bar"), ("foo bar", "foo bar"), ("\u{3A3}", "\u{3C3}"),
      ("\u{3C3}", "\u{3C3}"), ("\u{3C2}", "\u{3C2}"), ("\u{265A}", "\u{265A}"), ("Richard \u{2163}", "richard iv"),
    ])
  func formsOfComparison(title: String, form: String) throws {
    #expect(try Title(enforcing: title).comparisonForm == form)
  }

  @Test(
    "RFC 8266, section 2.1: spaces and compatibility",
    arguments: [
      ("  Foo  ", "Foo"), ("Foo \u{3000}\u{A0} Bar", "Foo Bar"), ("\u{2163}", "IV"),
      ("\u{FF26}\u{FF4F}\u{FF4F}", "Foo"),
      ("e\u{301}", "\u{E9}"), ("\u{2800}a\u{2800}b", "a b"), ("\u{212B}", "\u{C5}"),
    ])
  func normalForms(title: String, form: String) throws {
    let enforced = try Title(enforcing: title).text
    #expect(enforced.unicodeScalars.elementsEqual(form.unicodeScalars))
    #expect(try Title(enforcing: enforced).text == enforced)
  }

  @Test(
    "RFC 8264, section 4.3: what nobody may have",
    arguments: [
      0x00, 0x09, 0x0A, 0x1B, 0x7F, 0x85, 0xAD, 0x034F, 0x0640, 0x0673, 0x07FA, 0x115F, 0x1100, 0x180E, 0x200B, 0x200E,
      0x2028, 0x202E, 0x2060, 0x2066, 0x3031, 0x3164, 0xE000, 0xFDD0, 0xFE0F, 0xFEFF, 0xFFFE, 0x0378, 0xE0041, 0xE0100,
      0x10FFFF,
    ] as [UInt32])
  func disallowed(value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    #expect(throws: TitleRefusal.disallowed(scalar)) { try Title(enforcing: "Front\(Character(scalar))door") }
  }

  @Test("RFC 5892, appendix A: what depends on its neighbours")
  func contexts() throws {
    for allowed in ["क्\u{200D}ष", "क्\u{200C}ष", "paral\u{B7}lel", "ラ\u{30FB}ジ", "\u{661}\u{662}"] {
      _ = try Title(enforcing: allowed)
    }
    for refused in ["a\u{200D}b", "\u{200C}a", "a\u{B7}b", "a\u{30FB}b", "\u{661}\u{6F1}", "a\u{375}", "a\u{5F3}"] {
      #expect(throws: TitleRefusal.self, "\(refused.debugDescription)") { try Title(enforcing: refused) }
    }
  }

  @Test(arguments: [
    "Front door", "Straße 7", "Änne \"O'Hara\"", "Вход", "Είσοδος", "玄関", "مدخل", "כניסה", "Tür/Door № 3", "Вход B",
    "Зал-2B", "☎ Reception 🏠", "l\u{B7}l", String(repeating: "x", count: 128),
  ])
  func whatPeopleCallThings(title: String) throws {
    #expect(try Title(enforcing: title).text == title.replacing("№", with: "No"))
  }

  @Test func emptyAndLongTitlesAreRefused() {
    for empty in ["", " ", "\u{3000}\u{A0}"] {
      #expect(throws: TitleRefusal.empty) { try Title(enforcing: empty) }
    }
    for long in [String(repeating: "x", count: 129), String(repeating: "\u{FDFA}", count: 40)] {
      #expect(throws: TitleRefusal.tooLong) { try Title(enforcing: long) }
    }
  }

  @Test(arguments: ["Fr\u{43E}nt door", "\u{410}dmin", "\u{391}dmin", "Вхo\u{434}", "Fr\u{585}nt", "\u{13DF}at"])
  func wordsOfTwoAlphabetsAreRefused(title: String) {
    #expect(throws: TitleRefusal.self) { try Title(enforcing: title) }
  }

  @Test(arguments: [
    ("Front door", "front  DOOR"), ("Front door", "Fr\u{43E}nt d\u{43E}\u{43E}r"), ("Front door", "Fro\u{200B}nt door"),
    ("Front door", "\u{202E}Front door\u{202C}"), ("Front door", "\u{FF26}ront\u{A0}door"),
    ("COP", "\u{421}\u{41E}\u{420}"),
    ("Kate", "\u{39A}\u{391}\u{3A4}\u{395}"), ("Straße", "STRASSE"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("Zoë", "Zo\u{451}"),
    ("Cam-1", "Cam\u{2013}1"), ("Mike", "M\u{131}ke"), ("Gate", "\u{261}\u{251}te"), ("A B", "A\u{2800}B"),
  ])
  func thatStepsTheSame(title: String, other: String) {
    #expect(Title.key(of: title) == Title.key(of: other))
  }

  @Test(arguments: [("Front door", "Front doors"), ("Zoe", "Zoë"), ("van", "nan"), ("Вход", "Выход"), ("AB", "A B")])
  func thatStepsDifferent(title: String, other: String) {
    #expect(Title.key(of: title) != Title.key(of: other))
  }

  @Test func anEscapedTitleIsPlain() {
    #expect(Title.escaped("a\u{202E}\n\"é") == #""a\u{202E}\n\"\u{00E9}""#)
  }

  /// Accounts keep working and keys can be compared with keys, whatever a title is made of.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func everyTextHasOneKey(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let text = (0..<Int.random(in: 1...6, using: &random)).reduce(into: "") { text, _ in
        let highest: UInt32 = Bool.random(using: &random) ? 0x24FF : 0x1FFFF
        if let scalar = Unicode.Scalar(UInt32.random(in: 0...highest, using: &random)) {
          text.unicodeScalars.append(scalar)
        }
      }
      let key = Title.key(of: text)
      #expect(Title.key(of: key) == key, "\(Title.escaped(text))")
      #expect(Title.key(of: text.lowercased()) == key, "\(Title.escaped(text))")
      guard let title = try? Title(enforcing: text) else { continue }
      #expect(Title.key(of: title.text) == key, "\(Title.escaped(text))")
      #expect((try? Title(enforcing: title.text)) == title, "\(Title.escaped(text))")
    }
  }
}
