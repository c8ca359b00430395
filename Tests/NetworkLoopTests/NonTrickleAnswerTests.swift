import Testing

@testable import NetworkLoop

@Suite struct NonTrickleAnswerTests {
  private func lines(_ lines: String...) -> String { lines.map { $0 + "\r\n" }.joined() }

  @Test func onlyPeersThatTrickleAreAnsweredAtOnce() {
    #expect(!NonTrickleAnswer.isNeeded(for: lines("v=0", "m=audio 9 X 0", "a=ice-options:trickle")))
    #expect(!NonTrickleAnswer.isNeeded(for: lines("v=0", "a=ice-options:ice2 trickle")))
    #expect(NonTrickleAnswer.isNeeded(for: lines("v=0", "m=audio 9 X 0", "a=ice-options:ice2")))
    #expect(NonTrickleAnswer.isNeeded(for: lines("v=0", "m=audio 9 X 0")))
  }
}
