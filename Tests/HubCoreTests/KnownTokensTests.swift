import Testing

@testable import HubCore

struct KnownTokensTests {
  @Test func tokensAreKnownUntilOthersFillTwoGenerations() {
    var tokens = KnownTokens(capacity: 4)
    for token in 0..<5 { tokens.insert("\(token)") }
    #expect((0..<5).allSatisfy { tokens.contains("\($0)") })
    for token in 5..<10 { tokens.insert("\(token)") }
    #expect(!tokens.contains("0") && tokens.contains("9"))
    tokens.remove("9")
    #expect(!tokens.contains("9"))
  }
}
