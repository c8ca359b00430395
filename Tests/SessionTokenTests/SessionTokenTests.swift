import TestSupport
import Signalling
import Testing

@testable import SessionToken

@Suite("Session tokens") struct SessionTokenTests {
  private func role(
    _ text: String, of userID: String = "anna", in sessionID: String = "s", at time: Int64? = 1_500
  ) throws(SessionTokenError) -> SessionRole {
    let claims = try SessionToken(text).verify(with: SampleToken.key, MirrorVerifier())
    return try claims.role(of: userID, in: sessionID, at: time)
  }

  private func refusal(
    _ text: String, of userID: String = "anna", in sessionID: String = "s", at time: Int64? = 1_500
  ) -> SessionTokenError? {
    do throws(SessionTokenError) {
      _ = try role(text, of: userID, in: sessionID, at: time)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [SessionRole.subscriber, .publisher, .moderator]) func aGoodTokenGivesItsRole(_ role: SessionRole)
    throws
  {
    let token = SampleToken.text(SampleToken.claims(role: role.rawValue))
    #expect(try SessionToken(token).keyID == "k1")
    #expect(try self.role(token) == role)
  }

  @Test(arguments: [
    "none", "HS256", "RS256", "eddsa", "EdDSA ", "Ed25519", "",
  ]) func onlyEdDSAIsTaken(_ algorithm: String) {
    let header = #"{"alg":"\#(algorithm)","kid":"k1"}"#
    #expect(refusal(SampleToken.text(header: header)) == .otherAlgorithm)
  }

  @Test(arguments: [
    (#"{"alg":"EdDSA"}"#, SessionTokenError.noKeyID), (#"{"alg":"EdDSA","kid":7}"#, .noKeyID),
    (#"{"kid":"k1"}"#, .otherAlgorithm), (#"{"alg":["EdDSA"],"kid":"k1"}"#, .otherAlgorithm), ("[]", .otherAlgorithm),
    (#"{"alg":"EdDSA","kid":"k1","crit":["b64"]}"#, .malformed),
    (#"{"alg":"EdDSA","alg":"none","kid":"k1"}"#, .malformed), ("", .malformed), ("{", .malformed),
  ]) func otherHeaders(_ header: String, _ error: SessionTokenError) {
    #expect(refusal(SampleToken.text(header: header)) == error)
  }

  @Test func shapes() {
    let parts = SampleToken.text().split(separator: ".").map { String($0) }
    for text in [
      "", ".", "..", "...", parts[0], "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).",
      "x.\(parts[1]).\(parts[2])",
      "\(SampleToken.text()).", " \(SampleToken.text())", "\(SampleToken.text())=",
      "\(parts[0]).\(parts[1])+.\(parts[2])",
      SampleToken.text(signature: SampleToken.key),
      SampleToken.text(signature: SampleToken.key + SampleToken.key + [0]),
    ] { #expect(refusal(text) == .malformed, "\(text)") }
    #expect(refusal(String(repeating: "a", count: SessionToken.maximumBytes + 1)) == .tooLong)
    #expect(refusal(String(repeating: "a", count: 10_000_000)) == .tooLong)
  }

  @Test func anotherKeysSignatureIsRefusedBeforeTheClaimsAreRead() {
    let other = [UInt8](repeating: 8, count: 64)
    #expect(refusal(SampleToken.text(signature: other)) == .badSignature)
    #expect(refusal(SampleToken.text("not JSON", signature: other)) == .badSignature)
    #expect(refusal(SampleToken.text("not JSON")) == .malformed)
  }

  @Test func claimsMustFit() {
    #expect(refusal(SampleToken.text(), of: "bert") == .otherUser)
    #expect(refusal(SampleToken.text(), in: "other") == .otherSession)
    #expect(refusal(SampleToken.text(SampleToken.claims(aud: "livesessions-hub"))) == .otherAudience)
    #expect(refusal(SampleToken.text(SampleToken.claims(role: "admin"))) == .unknownRole)
    #expect(refusal(SampleToken.text(SampleToken.claims(valid: (2_000, 2_000)))) == .incomplete)
    #expect(refusal(SampleToken.text(#"{"aud":"livesessions-session"}"#)) == .incomplete)
    #expect(refusal(SampleToken.text("{}")) == .otherAudience)
    let text = #"{"sub":"anna","aud":"livesessions-session","role":"publisher","session_id":"s","iat":"1","exp":2}"#
    #expect(refusal(SampleToken.text(text)) == .incomplete)
  }

  @Test func timesHaveATolerance() {
    let token = SampleToken.text()
    #expect(refusal(token, at: 880) == nil && refusal(token, at: 879) == .notYetIssued)
    #expect(refusal(token, at: 2_119) == nil && refusal(token, at: 2_120) == .expired)
  }

  @Test func aClockThatIsNotBelievedJudgesNoTime() {
    #expect(refusal(SampleToken.text(), at: nil) == nil)
    #expect(refusal(SampleToken.text(), in: "other", at: nil) == .otherSession)
  }

  @Test(arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max]) func anyTimeIsJudged(_ time: Int64) {
    let widest = SampleToken.text(SampleToken.claims(valid: (.min, .max)))
    #expect(refusal(widest, at: time) == nil)
    _ = refusal(SampleToken.text(), at: time)
    #expect(refusal(SampleToken.text(SampleToken.claims(valid: (.max - 1, .max))), at: 0) == .notYetIssued)
    #expect(refusal(SampleToken.text(SampleToken.claims(valid: (.min, .min + 1))), at: 0) == .expired)
  }
}

@Suite("The hub's keys") struct SigningKeySetTests {
  private func entry(_ id: String, _ key: [UInt8] = SampleToken.key, kty: String = "OKP", more: String = "") -> String {
    SampleToken.keyEntry(id, key, kty: kty, more: more)
  }

  private func keys(_ entries: [String]) throws(SigningKeySetError) -> SigningKeySet {
    try SigningKeySet(json: SampleToken.keySet(entries))
  }

  @Test func keysAreFoundByTheirIDs() throws {
    let other = [UInt8](repeating: 9, count: 32)
    let set = try keys([entry("a"), entry("b", other, more: #","use":"sig","alg":"EdDSA","more":[1,{"x":null}]"#)])
    #expect(set.count == 2 && set["a"] == SampleToken.key && set["b"] == other && set["c"] == nil)
  }

  @Test func keysOfOtherKindsAreLeftOut() throws {
    let set = try keys([
      entry("a", kty: "EC"), entry("b", [1, 2]), entry("c", more: #","use":"enc""#),
      entry("d", more: #","alg":"ES256""#),
      "7", "{}",
    ])
    #expect(set.count == 0)
  }

  @Test func setsThatCannotBeUsed() {
    #expect(throws: SigningKeySetError.duplicateID) { try keys([entry("a"), entry("a")]) }
    #expect(throws: SigningKeySetError.tooMany) { try keys((0...32).map { entry("\($0)") }) }
    #expect(throws: SigningKeySetError.tooLong) {
      try SigningKeySet(json: [UInt8](repeating: 0x20, count: SigningKeySet.maximumBytes + 1))
    }
    for text in ["", "{}", "[]", #"{"keys":{}}"#, "{\"keys\":[]", "{\"keys\":[]}x"] {
      #expect(throws: SigningKeySetError.malformed) { try SigningKeySet(json: Array(text.utf8)) }
    }
  }
}

@Suite("JSON of tokens") struct JSONValueTests {
  private func parse(_ text: String) -> JSONValue? { JSONValue(Array(text.utf8)) }

  @Test func values() {
    #expect(
      parse(#" {"a" : [ 1 , -2 , "x" ] , "b":true} "#)
        == .object(["a": .array([.integer(1), .integer(-2), .string("x")]), "b": .other]))
    #expect(parse("1.5") == .other && parse("1e3") == .other && parse("9223372036854775808") == .other)
    #expect(parse("9223372036854775807") == .integer(.max) && parse("-9223372036854775808") == .integer(.min))
    #expect(parse("0") == .integer(0) && parse("null") == .other && parse("{}") == .object([:]))
  }

  @Test func strings() {
    #expect(parse(#""a\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00""#) == .string("a\"\\/\u{8}\u{C}\n\r\tä😀"))
    for text in [#""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\u12""#, #""\x""#, "\"\n\"", "\"a", #""\u+123""#] {
      #expect(parse(text) == nil, "\(text)")
    }
    #expect(JSONValue([0x22, 0xFF, 0x22]) == nil)
  }

  @Test(arguments: [
    "", " ", "01", "-", "1.", ".5", "1e", "+1", "tru", "{,}", "[1,]", "{\"a\":1,}", "{\"a\"}", "[1 2]", "1 2", "nul",
    "{\"a\":1,\"a\":1}",
  ]) func otherTexts(_ text: String) { #expect(parse(text) == nil) }

  @Test func depthIsBounded() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(parse(nested(8)) != nil && parse(nested(9)) == nil && parse(nested(100_000)) == nil)
  }
}
