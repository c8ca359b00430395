import EventDetection
import ConfigFile
import Foundation
import MediaCore
import Testing

@testable import DeviceConfiguration

@Suite("[[button]]")
struct ButtonConfigurationTests {
  private static let head = """
    [device]
    title = "Gate"
    [hub]
    url = "http://127.0.0.1:1"
    [[button]]

    """

  private func buttons(_ text: String) throws -> [ButtonSettings] {
    try DeviceConfiguration(text: Self.head + text, file: "device.toml").buttons
  }

  @Test func aBellIsRead() throws {
    let button = try #require(
      try buttons(
        """
        name = "Front door"
        key = { device = "gpio-keys", code = "KEY_F1", grab = true }
        debounce = "30ms"
        press = "call"
        call = ["user:a", "user:b"]
        hunt = "all-at-once"
        ring_for = "25s"
        long_press = "hang-up"
        long_press_after = "2s"
        """
      ).first)
    #expect(button.name == "Front door")
    #expect(button.place == .key(InputKey(device: "gpio-keys", code: .key(KeyCode(number: 59)!), isGrabbed: true)))
    #expect(button.timing == ButtonTiming(debounce: .milliseconds(30), longPress: .seconds(2)))
    #expect((button.press, button.longPress) == (.call, .hangUp))
    #expect(button.call == HuntSettings(users: ["a", "b"], order: .allAtOnce, ringFor: .seconds(25)))
  }

  @Test("what the sample file shows of buttons can be used as it stands")
  func sample() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../etc/livesessions/device.toml")
    let tables = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").drop { $0 != "#[[button]]" }
    let shown = tables.prefix { $0 != "#[[action]]" }.filter { !$0.hasPrefix("# ") }.map { $0.dropFirst() }
    #expect(try GateFile.read(shown.joined(separator: "\n")).buttons.map(\.name) == ["Front door", "Hang up"])
  }

  @Test func aLineOfAChipIsRead() throws {
    let button = try #require(
      try buttons(
        """
        name = "Bell"
        gpio = { chip = "gpiochip0", line = 17, active_low = true, bias = "pull-up" }
        press = "answer"
        """
      ).first)
    #expect(
      button.place
        == .line(InputLine(chip: "gpiochip0", line: .offset(17), isActiveLow: true, bias: .pullUp)))
    #expect(button.timing == ButtonTiming())
    #expect(button.call == nil)
  }

  @Test func aButtonMayHaveAnActionDone() throws {
    let button = try #require(
      try buttons(
        """
        name = "Exit"
        key = { device = "k", code = 2 }
        press = "action open-door"
        [[action]]
        name = "open-door"
        run = ["/bin/true"]
        """
      ).first)
    #expect(button.press == .action(name: "open-door"))
    #expect(button.press?.description == "action open-door")
  }

  private static let key = "name = \"B\"\nkey = { device = \"k\", code = 2 }\n"

  private static let mistaken: [(String, String)] = [
    ("name = \"B\"\npress = \"answer\"", "5:1: key is missing in [[button]]"),
    (
      "name = \"B\"\nkey = { device = \"k\", code = \"KEY_FF1\" }\npress = \"answer\"",
      "7:30: there is no key or switch"
    ),
    ("name = \"B\"\nkey = { device = \"k\", code = 768 }\npress = \"answer\"", "7:30: code is 768"),
    ("name = \"B\"\nkey = { code = 2 }\npress = \"answer\"", "key needs a device"),
    (key, "press is missing"),
    ("\(key)press = \"ring\"", "8:9: press cannot be \"ring\""),
    ("\(key)press = \"action open\"", "there is no action \"open\""),
    ("\(key)press = \"call\"", "call is missing"),
    ("\(key)press = \"call\"\ncall = []", "call names 0 users"),
    ("\(key)press = \"call\"\ncall = [\"a\"]", "9:9: \"a\" is no user to call"),
    ("\(key)press = \"call\"\ncall = [\"user:a\", \"user:a\"]", "call names a user twice"),
    ("\(key)press = \"answer\"\nring_for = \"5s\"", "ring_for without press = \"call\" does nothing"),
    ("\(key)press = \"call\"\ncall = [\"user:a\"]\nring_for = \"61s\"", "ring_for is 61s"),
    ("\(key)press = \"answer\"\nlong_press_after = \"2s\"", "long_press_after without long_press"),
    ("\(key)press = \"answer\"\ncolour = 1", "unknown key \"colour\""),
    ("\(key)press = \"answer\"\n[[button]]\n\(key)press = \"answer\"", "another button is named \"B\""),
    ("\(key)gpio = { chip = \"c\", line = 1 }\npress = \"answer\"", "not both"),
    ("name = \"B\"\ngpio = { chip = \"c\" }\npress = \"answer\"", "line is missing"),
    ("name = \"B\"\ngpio = { chip = \"c\", line = 1, bias = \"up\" }\npress = \"answer\"", "bias cannot be"),
    ("name = \"call\"\nkey = { device = \"k\", code = 2 }\npress = \"answer\"", "name cannot be \"call\""),
  ]

  @Test(
    "Mistakes are named with their lines",
    arguments: mistaken)
  func mistakes(text: String, problem: String) {
    let error = #expect(throws: ConfigErrors.self) { try buttons(text) }
    let description = error.map { "\($0)" } ?? ""
    #expect(description.contains(problem), "\(description)")
  }
}
