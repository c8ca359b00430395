import ConfigFile
import Testing

@Suite("Reading configuration tables")
struct ConfigTableTests {
  private func read<Value>(_ text: String, _ body: (ConfigTable) -> Value) throws -> Value {
    try ConfigDocument(text: text, file: "t.toml").read(body)
  }

  @Test("values of every kind are read")
  func values() throws {
    let text = """
      title = "Gate ☎"
      port = 8080
      ratio = 2
      on = true
      names = ["b", "a"]
      wait = "1h30m"
      size = "1.5GiB"
      near = "200mi"
      rate = "1.5Mbit/s"
      """
    try read(text) { root in
      #expect(root.string("title") == "Gate ☎")
      #expect(root.integer("port", in: 0...65_535) == 8080)
      #expect(root.number("ratio", in: 0...10) == 2)
      #expect(root.bool("on") == true)
      #expect(root.strings("names") == ["b", "a"])
      #expect(root.duration("wait", in: .zero ... .seconds(86_400)) == .seconds(5_400))
      #expect(root.bytes("size") == 1_610_612_736)
      #expect(root.distance("near") == 200 * 1_609.344)
      #expect(root.bitrate("rate", in: 0...2_000_000) == 1_500_000)
    }
  }

  @Test("missing keys yield nil or the default, missing tables are empty")
  func defaults() throws {
    try read("") { root in
      #expect(root.string("title", default: "x") == "x")
      #expect(root.integer("port", in: 0...1) == nil)
      #expect(root.table("video").isEmpty)
      #expect(root.table("video").bool("on", default: true))
      #expect(root.tables("rule").isEmpty)
    }
  }

  @Test("arrays of tables keep their order and place, nested tables their names")
  func tables() throws {
    let text = "[[rule]]\nname = \"first\"\n\n[[rule]]\nname = \"second\"\n[rule.tone]\nhertz = 440\n"
    try read(text) { root in
      let rules = root.tables("rule")
      #expect(rules.map { $0.string("name") } == ["first", "second"])
      #expect(rules.map(\.position.line) == [1, 4])
      let tone = rules[1].table("tone")
      #expect(rules[0].table("tone").isEmpty)
      #expect(tone.name == "[rule.tone]")
      #expect(tone.integer("hertz", in: 20...20_000) == 440)
    }
  }

  @Test("dotted keys and inline tables are tables like any other")
  func dottedKeys() throws {
    try read("video.width = 1\naudio = { rate = 2 }\n") { root in
      #expect(root.table("video").integer("width", in: 0...9) == 1)
      #expect(root.table("audio").integer("rate", in: 0...9) == 2)
    }
  }

  @Test(
    "durations are whole numbers with units, largest first",
    arguments: [
      ("0s", 0), ("500ms", 500), ("1m", 60_000), ("1h30m", 5_400_000), ("2d1ms", 172_800_001),
    ])
  func duration(text: String, milliseconds: Int) throws {
    #expect(try ConfigQuantity.duration(text) == .milliseconds(milliseconds))
  }

  @Test(
    "what is no duration is refused",
    arguments: ["", "10", "m", "1m1h", "1m1m", "-1s", "1.5h", "1 m", "9999999999s", "١s"])
  func badDuration(text: String) {
    #expect(throws: ConfigValueError.self) { try ConfigQuantity.duration(text) }
  }

  @Test(
    "what is no size is refused",
    arguments: ["", "10", "GiB", ".5GiB", "5.GiB", "1..5GB", "-1GB", "1e9GB", "99999999TiB"])
  func badBytes(text: String) {
    #expect(throws: ConfigValueError.self) { try ConfigQuantity.bytes(text) }
  }

  @Test(
    "distances are metres",
    arguments: [("300m", 300.0), ("1.5km", 1_500), ("200mi", 321_868.8), ("0km", 0), ("2 km", 2_000)])
  func distance(text: String, metres: Double) throws {
    #expect(abs(try ConfigQuantity.distance(text) - metres) < 1e-6)
  }

  @Test(
    "what is no distance is refused",
    arguments: ["", "42", "km", "-1km", "1ly", "nan", "inf", "1e999", "+5", "0x10km ", "999999999999999999m"])
  func badDistance(text: String) {
    #expect(throws: ConfigValueError.self) { try ConfigQuantity.distance(text) }
  }

  @Test("out of range quantities are refused")
  func ranges() {
    expectErrors(
      "a = \"2h\"\nb = \"1bit/s\"",
      "t.toml:1:5: a is 2h, outside 0 to 60 seconds\nt.toml:2:5: b is 1bit/s, outside 6 to 9 bit/s"
    ) {
      _ = $0.duration("a", in: .zero ... .seconds(60))
      _ = $0.bitrate("b", in: 6...9)
    }
  }

  @Test(
    "suggestions are near misses only",
    arguments: [
      ("whitin", "within"), ("Within", "within"), ("witin", "within"), ("actions", "action"), ("xyz", nil), ("", nil),
    ])
  func closest(word: String, expected: String?) {
    #expect(closestMatch(to: word, among: ["within", "action", "publish"]) == expected)
  }
}
