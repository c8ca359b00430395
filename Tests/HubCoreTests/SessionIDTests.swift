import FoundationEssentials
import Signalling
import Testing

/// What comes from a path or a message names a session, or nothing.
@Suite struct SessionIDTests {
  @Test(arguments: ["", "a/b", "..", "a?b", "a b", "a%2f", "ä", "a\n", String(repeating: "a", count: 129)])
  func textsThatNameNoSession(text: String) throws {
    #expect(SessionID(text) == nil)
    let json = try JSONEncoder().encode([text])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([SessionID].self, from: json) }
  }

  @Test(arguments: ["s", "s-1", "0f3c5c9e-5d3c-4a0a-9a6e-0d5c1b2a3f40", "A_b", String(repeating: "a", count: 128)])
  func textsThatNameOne(text: String) throws {
    let json = try JSONEncoder().encode([text])
    let decoded = try JSONDecoder().decode([SessionID].self, from: json)
    #expect(decoded.map(\.text) == [text])
    #expect(try JSONEncoder().encode(decoded) == json)
  }
}
