import FoundationEssentials
import Signalling
import Testing

/// What comes from a path, a folder or a message names an archive, or nothing.
@Suite struct ArchiveIDTests {
  @Test(
    arguments: [
      "", ".", "..", "a/b", "a.b", "a b", "a%2f", "ä", "a\n", "a\0", "-a", "_a", String(repeating: "a", count: 65),
    ]
  )
  func textsThatNameNoArchive(text: String) throws {
    #expect(ArchiveID(text) == nil)
    let json = try JSONEncoder().encode([text])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([ArchiveID].self, from: json) }
  }

  @Test(arguments: ["a", "9", "a-", "0f3c5c9e-5d3c-4a0a-9a6e-0d5c1b2a3f40", "A_b", String(repeating: "a", count: 64)])
  func textsThatNameOne(text: String) throws {
    let json = try JSONEncoder().encode([text])
    let decoded = try JSONDecoder().decode([ArchiveID].self, from: json)
    #expect(decoded.map(\.text) == [text])
    #expect(try JSONEncoder().encode(decoded) == json)
  }
}
