import Foundation
import Signalling
import Testing

/// The page's copy of the table of kinds, and the reference's.
@Suite struct EventKindPageTests {
  private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static var text: String {
    let rows = EventKind.allCases.map { kind in
      "  \"\(kind.rawValue)\": { label: \"\(kind.facts.label)\", mark: \"\(kind.facts.mark.rawValue)\" },\n"
    }
    return """
      // Kinds of events. Made from the table in Sources/Core/Signalling/DetectedEvents/EventKind.swift:
      // LIVESESSIONS_GENERATE=1 swift test --filter EventKindPageTests

      /** By its name, what people call a kind and how it is marked: `notice`, `ambient` or `alarm`. */
      export const eventKinds = {
        __proto__: null,
      \(rows.joined())};

      """
  }

  @Test func thePageKnowsTheKindsOfTheTable() throws {
    let file = Self.top.appending(path: "Sources/Hub/HubHTTP/web/event-kinds.js")
    if ProcessInfo.processInfo.environment["LIVESESSIONS_GENERATE"] != nil {
      try Data(Self.text.utf8).write(to: file)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == Self.text)
  }

  @Test func theReferenceHasEachKind() throws {
    let text = try String(contentsOf: Self.top.appending(path: "docs/reference/events.md"), encoding: .utf8)
    let missing = EventKind.allCases.filter { !text.contains("\n| `\($0.rawValue)` | ") }
    #expect(missing.isEmpty)
  }

  /// Each kind is a word that hubs of earlier versions pass on.
  @Test(arguments: EventKind.allCases) func aKindIsAWord(kind: EventKind) {
    #expect(EventCode(kind.rawValue) != nil)
    #expect(!kind.facts.label.isEmpty && !kind.facts.label.contains("\""))
  }
}
