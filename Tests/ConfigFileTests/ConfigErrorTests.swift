import ConfigFile
import Testing

@Suite("Configuration errors")
struct ConfigErrorTests {
  @Test("an unknown key is refused with its place and a suggestion")
  func unknownKey() {
    expectErrors("[video]\n  widht = 640\n", "t.toml:2:3: unknown key \"widht\" in [video]; did you mean \"width\"?") {
      _ = $0.table("video").integer("width", in: 1...4096)
    }
  }

  @Test("an unknown table is refused at its header")
  func unknownTable() {
    expectErrors("[vidio]\nwidth = 640\n", "t.toml:1:2: unknown key \"vidio\"; did you mean \"video\"?") {
      _ = $0.table("video").integer("width", in: 1...4096)
    }
  }

  @Test("a key that resembles none gets the list of known ones")
  func farKey() {
    expectErrors("zzz = 1\n", "t.toml:1:1: unknown key \"zzz\"; known here: port, title") {
      _ = $0.string("title")
      _ = $0.integer("port", in: 0...1)
    }
  }

  @Test("unknown keys inside arrays of tables are found, each at its line")
  func arrayOfTables() {
    let text = "[[rule]]\nname = \"a\"\n[[rule]]\nwhitin = \"200mi\"\n"
    expectErrors(text, "t.toml:4:1: unknown key \"whitin\" in [[rule]]; did you mean \"within\"?") { root in
      for rule in root.tables("rule") {
        _ = rule.string("name")
        _ = rule.distance("within")
      }
    }
  }

  @Test("all mistakes of a file are reported, in the order of their lines")
  func collectsAll() {
    let text = """
      title = 7
      [video]
      width = "640"
      height = 99999
      frame_rate = 30.5
      [audio]
      bitrate = 64000
      level = "loud"
      on = 1
      sources = ["a", 2]
      """
    let expected = """
      t.toml:1:9: title must be a string, not an integer; write for example title = "…"
      t.toml:3:9: width must be an integer, not a string; write for example width = 640
      t.toml:4:10: height is 99999, outside 16 to 4096
      t.toml:5:14: frame_rate must be an integer, not a number; write for example frame_rate = 30
      t.toml:7:11: bitrate must be a string with a unit, not an integer; write for example bitrate = "800kbit/s"
      t.toml:8:9: level cannot be "loud"; it is one of quiet, normal
      t.toml:9:6: on must be true or false, not an integer; write for example on = true
      t.toml:10:17: sources holds an integer where a string belongs; write for example sources = ["…"]
      """
    enum Level: String, CaseIterable { case quiet, normal }
    expectErrors(text, expected) { root in
      _ = root.string("title")
      let video = root.table("video")
      _ = video.integer("width", in: 16...4096)
      _ = video.integer("height", in: 16...4096)
      _ = video.integer("frame_rate", in: 1...120)
      let audio = root.table("audio")
      _ = audio.bitrate("bitrate", in: 6_000...510_000)
      _ = audio.choice("level", as: Level.self)
      _ = audio.bool("on")
      _ = audio.strings("sources")
    }
  }

  @Test(
    "a quote that is missing is named",
    arguments: [
      ("a = 1\ntitle = \"door\n[b]\n", "t.toml:2:14: a string has no closing quote"),
      ("title = 'door", "t.toml:1:14: a string has no closing quote"),
      ("title = Front door\"\n", "t.toml:1:9: this is no value; put text in quotes"),
    ])
  func missingQuote(text: String, beginning: String) throws {
    let error = #expect(throws: ConfigErrors.self) { try ConfigDocument(text: text, file: "t.toml") }
    let description = try #require(error).description
    #expect(description.hasPrefix(beginning), "\(description)")
  }

  @Test("a near miss of an enumeration gets a suggestion")
  func choiceSuggestion() {
    enum Action: String, CaseIterable { case answer, reject }
    expectErrors("action = \"anwser\"", "t.toml:1:10: action cannot be \"anwser\"; did you mean \"answer\"?") {
      _ = $0.choice("action", as: Action.self)
    }
  }

  @Test("a value where a table belongs, and the reverse, are refused")
  func wrongShape() {
    let text = "video = 1\nrule = [1]\naudio = \"x\"\n[title]\n"
    let expected = """
      t.toml:1:9: video must be a table, not an integer; write for example [video]
      t.toml:2:9: rule holds an integer where a table belongs; write [[rule]]
      t.toml:3:9: audio must be an array of tables, not a string; write for example [[audio]]
      t.toml:4:1: title must be a string, not a table; write for example title = "…"
      """
    expectErrors(text, expected) { root in
      _ = root.table("video")
      _ = root.tables("rule")
      _ = root.tables("audio")
      _ = root.string("title")
    }
  }

  @Test("a missing key and a mistake of meaning stand at the table and at the value")
  func meaning() {
    let text = "[hub]\nurl = \"ftp://x\"\n"
    let expected = """
      t.toml:1:2: enrolment_key_file is missing in [hub]; write for example enrolment_key_file = "hub-key"
      t.toml:2:7: url must begin with https://
      """
    expectErrors(text, expected) { root in
      let hub = root.table("hub")
      _ = hub.string("url")
      hub.addError("url must begin with https://", at: "url")
      hub.addMissing("enrolment_key_file", example: "\"hub-key\"")
    }
  }

  @Test(
    "a syntax error stops reading at its place",
    arguments: [
      ("a = 1\na = 2\n", "t.toml:2:"), ("a = \n", "t.toml:1:"), ("[a\n", "t.toml:1:"), ("x = \"a\u{0}b\"", "t.toml:1:"),
      ("a = 1\n [=]\n", "t.toml:2:2: "), ("a = 1\n\n[[", "t.toml:3:3: "),
    ])
  func syntax(text: String, prefix: String) {
    let errors = #expect(throws: ConfigErrors.self) { try ConfigDocument(text: text, file: "t.toml") }
    #expect(errors?.errors.count == 1)
    #expect(errors?.description.hasPrefix(prefix) == true, "\(errors?.description ?? "")")
  }

  @Test("texts that would exhaust the stack are refused")
  func depth() {
    let dotted = String(repeating: "a.", count: 50_000) + "a = 1"
    expectSyntaxError(dotted, containing: "dots")
    expectSyntaxError(String(repeating: "[", count: 5_000), containing: "malformed")
    expectSyntaxError("x = " + String(repeating: "[", count: 5_000), containing: "nest")
    expectSyntaxError(String(repeating: "a.", count: 90) + "a = 1", containing: "nested too deeply")
    expectSyntaxError(String(repeating: "#\n", count: 200_000), containing: "larger than 262144 bytes")
  }

  private func expectSyntaxError(_ text: String, containing part: String) {
    let errors = #expect(throws: ConfigErrors.self) { try ConfigDocument(text: text, file: "t.toml") }
    #expect(errors?.description.contains(part) == true, "\(errors?.description ?? "")")
  }
}

func expectErrors(
  _ text: String, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation, read: (ConfigTable) -> Void
) {
  let errors = #expect(throws: ConfigErrors.self, sourceLocation: sourceLocation) {
    try ConfigDocument(text: text, file: "t.toml").read(read)
  }
  #expect(errors?.description == expected, sourceLocation: sourceLocation)
}
