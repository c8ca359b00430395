import Testing

@testable import HubCore

struct KnownTokensTests {
  @Test func tokensAreKnownUntilOthersFillTwoGenerations() {
    var tokens = KnownTokens(capacity: 4)
    for token in 0..<5 { tokens.insert("\(token)", of: "a") }
    #expect((0..<5).allSatisfy { tokens.account(of: "\($0)") == tokens.account(of: "0") })
    for token in 5..<10 { tokens.insert("\(token)", of: "b") }
    #expect(tokens.account(of: "0") == nil && tokens.account(of: "9") == "b".hashValue)
    tokens.remove("9")
    #expect(tokens.account(of: "9") == nil)
  }
}
