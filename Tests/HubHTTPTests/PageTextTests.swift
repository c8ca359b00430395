import Foundation
import Testing

/// The page has words of its own for whatever the hub refuses.
struct PageTextTests {
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func source(_ path: String) throws -> String {
    try String(contentsOf: Self.repository.appendingPathComponent(path), encoding: .utf8)
  }

  /// The types of problem documents, as the hub's sources spell them.
  private func problemTypes() throws -> Set<Substring> {
    let refusals = try source("Sources/Hub/HubCore/HubRefusal.swift")
    var types = Set(refusals.matches(of: #/\(\s*"([a-z][a-z-]+)",/#).map(\.output.1))
    let folder = Self.repository.appendingPathComponent("Sources/Hub/HubHTTP")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      types.formUnion(text.matches(of: #/Problem\(\s*type: "([a-z-]+)"/#).map(\.output.1))
    }
    return types
  }

  private func keys(of table: String, in words: String) throws -> Set<Substring> {
    let start = try #require(words.range(of: "const \(table) = {\n"))
    let end = try #require(words.range(of: "\n};", range: start.upperBound..<words.endIndex))
    return Set(words[start.upperBound..<end.lowerBound].matches(of: #/(?m)^  "?([a-z0-9-]+)"?:/#).map(\.output.1))
  }

  @Test func everyRefusalHasAText() throws {
    let types = try problemTypes()
    #expect(types.isSuperset(of: ["bad-credentials", "origin-not-allowed", "internal", "rate-limited"]))
    let texts = try source("Sources/Hub/HubHTTP/web/texts.js")
    // What the HTTP library refuses has one type, and a text for each status.
    let missing = types.subtracting(try keys(of: "problems", in: texts)).subtracting(["http-error"])
    #expect(missing.isEmpty, "web/texts.js has no text for \(missing.sorted())")
  }

  @Test func statusesOfRequestsThatHTTPRefusesHaveTexts() throws {
    let known = try keys(of: "problemsByStatus", in: try source("Sources/Hub/HubHTTP/web/texts.js"))
    #expect(known.isSuperset(of: ["400", "401", "403", "404", "405", "408", "413", "429", "431", "500", "503"]))
  }
}
