import MediaCore
import Testing

@testable import CallPolicy

@Suite("Dialling of actions") struct DTMFEntryTests {
  private static let actions = [
    DialledAction(name: "door", code: DTMFCode("9")!, needsPIN: false),
    DialledAction(name: "gate", code: DTMFCode("12")!, needsPIN: false),
    DialledAction(name: "alarm", code: DTMFCode("*#1")!, needsPIN: true),
  ]

  /// What comes of digits that are dialled 200 ms after each other; a space is a pause of 6 s.
  private func dial(_ text: String) -> [DTMFEntry.Command] {
    var entry = DTMFEntry()
    var now = MonotonicInstant(nanoseconds: 1)
    var commands: [DTMFEntry.Command] = []
    for character in text.unicodeScalars {
      now = now + .milliseconds(character == " " ? 6_000 : 200)
      guard let digit = DTMFDigit(character) else { continue }
      if let command = entry.take(digit, of: Self.actions, now: now) { commands.append(command) }
    }
    return commands
  }

  @Test(arguments: [
    ("9", ["door"]), ("99", ["door", "door"]), ("12", ["gate"]), ("112", ["gate"]), ("5312", ["gate"]), ("1 2", []),
    ("1", []), ("19", ["door"]), ("**#9", ["door"]),
  ])
  func codesAreFoundAmongOtherDigits(dialled: String, expected: [String]) {
    #expect(dial(dialled).map(\.name) == expected)
  }

  @Test func aPINFollowsItsCode() {
    #expect(dial("*#10815#") == [.init(name: "alarm", pin: "0815")])
    #expect(dial("*#1#") == [.init(name: "alarm", pin: "")])
    // The digits of a PIN are no codes.
    #expect(dial("*#1912#") == [.init(name: "alarm", pin: "912")])
  }

  @Test func aPINIsGivenUpByStarPauseAndLength() {
    #expect(dial("*#108*9") == [.init(name: "door")])
    #expect(dial("*#108 9") == [.init(name: "door")])
    #expect(dial("*#1" + String(repeating: "1", count: 65) + "#").isEmpty)
  }

  @Test func codesHaveDigitsAlone() {
    #expect(DTMFCode("") == nil)
    #expect(DTMFCode("12345678")?.description == "12345678")
    #expect(DTMFCode("123456789") == nil)
    #expect(DTMFCode("1e") == nil)
    #expect(DTMFCode("a*#D")?.description == "A*#D")
    #expect(DTMFCode("12")!.overlaps(DTMFCode("1")!))
    #expect(!DTMFCode("12")!.overlaps(DTMFCode("21")!))
  }
}
