import ConfigFile
import Testing

/// A file of a made-up program: what all files' settings share.
struct SettingTests {
  private struct Lamp: SettingGroup, Equatable {
    var isOn = false
    var level = 5
    var colour: String?
    var delay = Duration.seconds(90)

    static let settings: [Setting<Lamp>] = [
      Setting("on", \.isOn, .bool, "Whether it shines."),
      Setting("level", \.level, .integer(1...9), effect: .reload, "How much."),
      Setting("colour", \.colour, .string, example: "\"red\"", isRequired: true, "Which one."),
      Setting("delay", \.delay, .duration(.zero...(.seconds(600))), isSecret: true, "After a switch."),
    ]
  }

  private struct House: SettingGroup, Equatable {
    var name = ""
    var lamp = Lamp()
    var rooms: [String] = []
    init() {}

    static let sections: [SettingSection<House>] = [
      SettingSection("", .root, at: \.self, "", settings: [Setting("title", \.name, .string, "Of the house.")]),
      SettingSection("lamp", at: \.lamp, "A lamp.", settings: Lamp.settings),
      SettingSection("room", .array, whole: \.rooms, "Rooms.", settings: Lamp.settings),
    ]

    static func read(_ text: String) throws(ConfigErrors) -> House {
      try ConfigDocument(text: text, file: "h.toml").read { root in
        var house = House()
        sections.read(root, into: &house)
        house.rooms = root.tables("room").map { table in
          _ = table.string("name")
          let lamp: Lamp = Lamp.settings.values(of: table)
          return lamp.colour ?? ""
        }
        return house
      }
    }
  }

  private let sections = House.sections.map(\.description)

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch let error as ConfigValueError {
      return "\(error.problem); \(error.remedy ?? "")"
    } catch {
      return "\(error)"
    }
  }

  @Test func aFileSetsPropertiesAndTheRestHasDefaults() throws {
    let house = try House.read("title = \"Mill\"\n[lamp]\ncolour = \"red\"\nlevel = 9")
    #expect(house.name == "Mill" && house.lamp.colour == "red" && house.lamp.level == 9 && !house.lamp.isOn)
    #expect(house.lamp.delay == .seconds(90))
  }

  @Test func mistakesNamePlaceAndRemedy() {
    let text = "[lamp]\nlevel = 10\ncolor = \"red\"\ndelay = \"11m\""
    #expect(
      message { _ = try House.read(text) } == """
        h.toml:1:2: colour is missing in [lamp]; write for example colour = "red"
        h.toml:2:9: level is 10, outside 1 to 9
        h.toml:3:1: unknown key "color" in [lamp]; did you mean "colour"?
        h.toml:4:9: delay is 11m, outside 0 to 600 seconds
        """)
  }

  @Test func descriptionsFollowFromTypesAndProperties() {
    let lamp = sections[1].settings
    #expect(lamp.map(\.type) == ["boolean", "whole number, 1 to 9", "string", "duration, 0s to 10m"])
    #expect(lamp.map(\.defaultText) == ["false", "5", nil, "\"1m30s\""])
  }

  @Test func aReloadTakesWhatItMayAndNamesTheRest() throws {
    let started = try House.read("[lamp]\ncolour = \"red\"")
    let fresh = try House.read(
      "title = \"Mill\"\n[lamp]\ncolour = \"red\"\nlevel = 9\non = true\n[[room]]\ncolour = \"x\"")
    var running = started
    House.sections.reload(fresh, into: &running)
    #expect(running.lamp.level == 9 && !running.lamp.isOn && running.name.isEmpty)
    #expect(House.sections.waiting(started, fresh) == ["title", "[lamp] on", "[[room]]"])
  }

  @Test func whatIsInForceIsListed() throws {
    let text = "[lamp]\ncolour = \"red\"\ndelay = \"2m\"\nlevel = 5\n[[room]]\ncolour = \"blue\""
    let listing = SettingListing(try ConfigDocument(text: text, file: "h.toml"), sections)
    #expect(
      listing.text(changed: true) == "[lamp]\ncolour = \"red\"\ndelay = \"(hidden)\"\n\n[[room]]\ncolour = \"blue\"")
    #expect(listing.text(changed: false).contains("on = false\nlevel = 5\n"))
  }

  // MARK: Changing a file

  private func edited(_ key: String, _ value: String, _ text: String) throws -> String {
    try SettingEdit(SettingPath(key, in: sections), value: value).applied(to: text, file: "h.toml")
  }

  @Test(arguments: [
    ("lamp.level", "7", "[lamp]\nlevel = 5 # five\n", "[lamp]\nlevel = 7 # five\n"),
    ("lamp.colour", "sky blue", "[lamp]\n  colour = 'red'\t# x\n", "[lamp]\n  colour = \"sky blue\"\t# x\n"),
    ("lamp.colour", "\"a \\\" b\"", "[lamp]\ncolour = \"\"\"two\nlines\"\"\"\n", "[lamp]\ncolour = \"a \\\" b\"\n"),
    ("lamp.level", "7", "[lamp]\nlevel = [\n  1, # ]\n  [\"]\"],\n] # end\n", "[lamp]\nlevel = 7 # end\n"),
    (
      "lamp.level", "7", "[lamp]\n# How much.\n#level = 5\n\n[other]\n",
      "[lamp]\n# How much.\n#level = 5\nlevel = 7\n\n[other]\n"
    ),
    (
      "lamp.on", "true", "[lamp]\nlevel = 5\n\n# Rooms.\n#[[room]]\n#on = true\n",
      "[lamp]\nlevel = 5\non = true\n\n# Rooms.\n#[[room]]\n#on = true\n"
    ),
    ("lamp.on", "true", "title = \"x\"\n#[lamp]\n#on = false\n", "title = \"x\"\n[lamp]\n#on = false\non = true\n"),
    ("lamp.on", "true", "title = \"x\"\n", "title = \"x\"\n\n[lamp]\non = true\n"),
    ("title", "a", "# House.\n#title = \"\"\n[lamp]\n", "# House.\n#title = \"\"\ntitle = \"a\"\n[lamp]\n"),
    ("title", "a", "[lamp]\n", "title = \"a\"\n[lamp]\n"),
    (
      "room.\"big one\".level", "2", "[[room]]\nname = \"b\"\n[[room]]\nname = \"big one\"\nlevel = 1\n",
      "[[room]]\nname = \"b\"\n[[room]]\nname = \"big one\"\nlevel = 2\n"
    ),
    ("lamp.level", "7", "lamp = { level = 5, on = true }\n", "lamp = { level = 7, on = true }\n"),
    ("lamp.level", "7", "[lamp]\r\nlevel = 5\r\non = true\r\n", "[lamp]\r\nlevel = 7\r\non = true\r\n"),
    ("lamp.colour", "blåst", "[lamp]\ncolour = \"e\u{301}\" # é\n", "[lamp]\ncolour = \"blåst\" # é\n"),
    ("lamp.level", "7 # x", "[lamp]\nlevel = 5\n", "[lamp]\nlevel = \"7 # x\"\n"),
  ])
  func oneValueChangesAndAllElseStays(key: String, value: String, text: String, expected: String) throws {
    #expect(try edited(key, value, text) == expected)
  }

  @Test(arguments: [
    ("lamp.levle", "there is no setting \"lamp.levle\""), ("lamp", "there is no setting \"lamp\""),
    ("lapm.level", "did you mean lamp.level?"), ("lamp.level.x", "write lamp.KEY"),
    ("room.level", "write room.NAME.delay"), ("room.hall.level", "there is no [[room]] with name = \"hall\""),
    ("", "write for example video.width"), ("lamp..level", "write for example video.width"),
    ("lamp.on", "its table in line 1 has no header of its own"),
  ])
  func whatCannotBeSetIsSaid(key: String, expected: String) {
    let text = message { _ = try edited(key, "1", "lamp.level = 5\n") }
    #expect(text.contains(expected), "\(text)")
  }

  @Test(arguments: [
    (Duration.zero, "0s"), (.milliseconds(1_500), "1s500ms"), (.seconds(86_400 + 60), "1d1m"), (.seconds(3_600), "1h"),
  ])
  func durationsAreWrittenAsTheyAreRead(duration: Duration, text: String) throws {
    #expect(ConfigQuantity.text(duration: duration) == text)
    #expect(try ConfigQuantity.duration(text) == duration)
  }

  @Test(arguments: [(Int64(512 << 20), "512MiB"), (0, "0B"), (1_500_000_000, "1500MB"), (7, "7B")])
  func sizesAreWrittenAsTheyAreRead(bytes: Int64, text: String) throws {
    #expect(ConfigQuantity.text(bytes: bytes) == text)
    #expect(try ConfigQuantity.bytes(text) == bytes)
  }

  @Test(arguments: [
    (800_000, "800kbit/s"), (2_500_000, "2.5Mbit/s"), (0, "0kbit/s"), (20_000_000, "20Mbit/s"), (7, "7bit/s"),
  ])
  func ratesAreWrittenAsTheyAreRead(rate: Int, text: String) throws {
    #expect(ConfigQuantity.text(bitrate: rate) == text)
    #expect(try ConfigQuantity.bitrate(text) == rate)
  }
}
