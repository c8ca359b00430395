import Foundation
import Signalling
import Testing

@testable import HubHTTP

struct ShapeReaderTests {
  private struct Sample: Codable {
    enum Word: String, Codable, CaseIterable { case one, two = "second" }

    struct Inner: Codable { var flag: Bool }

    var text: String
    var number: Int64
    var measure: Double?
    var word: Word
    var inner: Inner?
    var list: [Inner]
    var names: [CameraName]
  }

  @Test func aTypeTellsItsMembers() throws {
    let reader = ShapeReader(notes: [
      "Sample": ["text": ["maxLength": 3], "none": [:], "": ["description": "A sample."]], "Absent": ["x": [:]],
    ])
    #expect(try reader.schema(of: Sample.self) == ["$ref": "#/components/schemas/Sample"])
    #expect(
      reader.components["Inner"] == [
        "type": "object", "properties": ["flag": ["type": "boolean"]], "required": ["flag"],
      ])
    #expect(
      reader.components["Sample"] == [
        "type": "object", "description": "A sample.", "required": ["list", "names", "number", "text", "word"],
        "properties": [
          "text": ["type": "string", "maxLength": 3], "number": ["type": "integer"], "measure": ["type": "number"],
          "word": ["type": "string", "enum": ["one", "second"]], "inner": ["$ref": "#/components/schemas/Inner"],
          "list": ["type": "array", "items": ["$ref": "#/components/schemas/Inner"]],
          "names": ["type": "array", "items": ["type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,31}$"]],
        ],
      ])
    #expect(reader.strayNotes == ["Absent.x", "Sample.none"])
  }

  @Test func aMemberThatMayBeNullSaysSo() throws {
    let reader = ShapeReader(notes: [:])
    _ = try reader.schema(of: PresenceUpdate.self)
    let update = try #require(reader.components["PresenceUpdate"])
    #expect(update["required"] == ["isAudio", "isVideo", "kind", "status"])
    #expect(
      update["properties"]?["userLocation"] == [
        "anyOf": [["$ref": "#/components/schemas/UserLocation"], ["type": "null"]]
      ])
  }

  @Test func aTypeWithoutMembersIsRefused() {
    #expect(throws: (any Error).self) { try ShapeReader(notes: [:]).schema(of: UUID.self) }
  }

  /// Texts of which each type takes some.
  private static let texts: [String] =
    [
      "", "a", "A", "9", "-a", "_a", "a<b", " a", "a ", "a-b_c", "a.b", "a b", "a\n", "\u{E4}", "yard", "motion",
      "9motion",
      "20261124T195512Z-9f3c01ab", "20261124T195512Z-9f3c01aB", "20261124T195512Z-9f3c01abc",
      "20261124t195512z-9f3c01ab",
      "0-20261124T195512Z-9f3c01ab", "123456789012345-20261124T195512Z-9f3c01ab",
      "1234567890123456-20261124T195512Z-9f3c01ab", "x-20261124T195512Z-9f3c01ab",
    ] + [32, 33, 64, 65, 128, 129].map { String(repeating: "a", count: $0) }

  private static let checks: [String: @Sendable (String) -> Bool] = [
    "SessionID": { SessionID($0) != nil }, "ArchiveID": { ArchiveID($0) != nil },
    "CameraName": { CameraName($0) != nil },
    "DetectedEventID": { DetectedEventID($0) != nil }, "EventCode": { EventCode($0) != nil },
    "EventCursor": { EventCursor($0) != nil }, "GivenName": { GivenName($0) != nil },
  ]

  @Test(arguments: TextForm.of.keys.sorted()) func patternsAreTheTypes(type: String) throws {
    let form = try #require(TextForm.of[type])
    let check = try #require(Self.checks[type])
    let pattern = try Regex(form.pattern)
    #expect(check(form.example))
    for text in Self.texts {
      #expect(check(text) == (text.wholeMatch(of: pattern) != nil), "\(type): \(text.debugDescription)")
    }
  }
}
