import ConfigFile
import DeviceConfiguration
import Testing

struct TitledUserTests {
  private static let id = "4f0c9a52-0d0b-4b8e-9d2c-3f1f6f2c7a10"

  private func titles(_ text: String, _ sections: [SectionDescription]) throws -> [String] {
    try TitledUser.all(in: ConfigDocument(text: text, file: "f.toml"), sections)
      .map { "\($0.position.line) \($0.title)" }
  }

  @Test func aPolicysListsOfUsersAreSearched() throws {
    let text = """
      [[rule]]
      name = "user:Not me"
      caller = ["user:Olga", "group:family", "role:operator"]
      action = "answer"
      [[rule]]
      caller = [
        "user:\(Self.id)",
        "user:anonymous-\(Self.id)",
        "user:Front desk",
      ]
      action = "answer"
      [outgoing]
      allowed = ["user:Öffnungsdienst"]
      [recording]
      allowed = ["user:Ben"]
      managers = ["user:Ann"]
      [[action_rule]]
      action = ["open-door"]
      caller = ["user:Olga", "button:front"]
      """
    #expect(
      try titles(text, PolicyFile.sections.map(\.description)) == [
        "3 Olga", "9 Front desk", "13 Öffnungsdienst", "15 Ben", "16 Ann", "19 Olga",
      ])
  }

  @Test func aDevicesListsOfUsersAreSearched() throws {
    let text = """
      [hub]
      title = "user:Gate"
      [[button]]
      name = "front"
      call = ["user:Olga"]
      [[event_rule]]
      name = "yard"
      call = ["user:Ben"]
      push = ["user:\(Self.id)", "user:Ann", "group:family"]
      """
    #expect(
      try titles(text, DeviceConfiguration.sections.map(\.description)) == ["5 Olga", "8 Ben", "9 Ann"])
    #expect(try titles("[outgoing]\nallowed = true\n", PolicyFile.sections.map(\.description)).isEmpty)
  }

  @Test(arguments: [
    (id, true), ("anonymous-" + id, true), (id.uppercased(), true), ("Olga", false), ("", false),
    ("4f0c9a52-0d0b-4b8e-9d2c", false), (id + "0", false), ("4f0c9a5ü-0d0b-4b8e-9d2c-3f1f6f2c7a10", false),
  ])
  func idsHaveAForm(_ text: String, _ isID: Bool) {
    #expect(TitledUser.isID(text) == isID)
  }
}
