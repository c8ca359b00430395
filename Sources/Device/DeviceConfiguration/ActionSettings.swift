public import CallPolicy
import ConfigFile

/// `[[action]]`: something that the device can do, such as opening a door; who may have it done says the policy.
public struct ActionSettings: Sendable, Hashable {
  public enum Effect: Sendable, Hashable {
    case pulse(LinePulse)
    /// Ended after 1 s to 20 s.
    case program(ProgramSettings)
    /// Occupancy from then on.
    case home(Bool)
    /// A manual recording of the device begins or ends.
    case record(Bool)
  }

  /// A GPIO line that becomes active for a while.
  public struct LinePulse: Sendable, Hashable {
    public var line: ActionLine
    /// 10 ms to 10 minutes.
    public var length: Duration
  }

  public static let maxActions = 32

  /// 1 to 32 small letters, digits and dashes; unique.
  public var name: String
  public var effect: Effect
  /// What callers dial for it; nil if they cannot.
  public var code: DTMFCode?

  /// Whether an image of each use is kept.
  public var keepsImage: Bool
  /// Whether those whom the device calls are offered it before they answer, and apart from others in the call.
  public var isProminent: Bool

  /// The GPIO line that the action drives.
  public var line: ActionLine? { if case .pulse(let pulse) = effect { pulse.line } else { nil } }
}

/// A GPIO line that is inactive but for pulses.
public struct ActionLine: Sendable, Hashable {
  public enum Place: Sendable, Hashable {
    case offset(UInt32)
    case name(String)
  }

  /// A path, a device name such as `gpiochip0`, or a label.
  public var chip: String
  public var place: Place
  public var isActiveLow: Bool

  public init(chip: String, place: Place, isActiveLow: Bool) {
    self.chip = chip
    self.place = place
    self.isActiveLow = isActiveLow
  }
}

extension ActionSettings {
  static func read(_ tables: [ConfigTable]) -> [ActionSettings] {
    var actions: [ActionSettings] = []
    for table in tables {
      guard let action = ActionSettings(table) else { continue }
      action.check(table, against: actions)
      actions.append(action)
    }
    if tables.count > maxActions {
      tables[maxActions].addError("there are more than \(maxActions) actions", remedy: "remove some")
    }
    return actions
  }

  private struct Keys: SettingGroup {
    var name: String?
    var pulse: LinePulse?
    var program = ProgramKeys()
    var home: Bool?
    var record: Bool?
    var code: DTMFCode?
    var keepsImage = true
    var isProminent = false
  }

  static let section = SettingSection<DeviceConfiguration>(
    "action", .array, whole: \.actions,
    """
    Something that the device can do for callers and for `livesessions action run` (guides/doors.md); up to \
    \(maxActions). policy.toml says who may use it.
    """, settings: settings, sample: sample)

  private static let sample = """
    [[action]]
    name = "open-door"
    prominent = true
    dtmf = "9"
    gpio = { chip = "gpiochip0", line = 17, active_low = false, pulse = "3s" }

    [[action]]
    name = "light"
    run = ["/usr/local/bin/light", "on"]
    timeout = "10s"

    [[action]]
    name = "leave"
    home = false
    """

  private static let settings: [Setting<Keys>] =
    [
      Setting(
        "name", \.name, .text("string", text: \.self, parse: checkName), example: "\"open-door\"", isRequired: true,
        "1 to 32 small letters, digits and dashes; no two actions have the same."),
      Setting(
        "gpio", \.pulse, SettingType("table of chip, line, active_low and pulse", read: pulse),
        example: "{ chip = \"gpiochip0\", line = 17, active_low = false, pulse = \"3s\" }",
        """
        A line that is active for 10ms to 10m, and inactive otherwise from the daemon's start on. The chip is a path, a \
        device name or a label, the line a number or a name; see `gpioinfo`.
        """),
    ]
    + ProgramKeys.settings(
      example: "[\"/usr/local/bin/light\", \"on\"]",
      """
      In place of `gpio`: a program, without a shell, with no environment but PATH, LIVESESSIONS_ACTION, \
      LIVESESSIONS_CALLER ("local" or "user:ID") and LIVESESSIONS_SESSION, in the daemon's own sandbox.
      """
    ).lifted(\.program) + [
      Setting(
        "home", \.home, .bool, example: "false",
        "In place of `gpio`: note whether there are people at home, for [[event_rule]]."),
      Setting(
        "record", \.record, .bool, example: "true",
        """
        In place of `gpio`: `true` begins a manual recording of the device, which ends after `longest_manual` of [archive] \
        at the latest; `false` ends it. Recordings of calls and plans continue.
        """),
      Setting(
        "dtmf", \.code, .text("string", text: { "\($0)" }, parse: code), example: "\"9\"",
        """
        What callers dial for it: 1 to \(DTMFCode.maxDigits) of 0 to 9, *, # and A to D. No code may begin with another \
        one. Where the policy asks for a PIN, the PIN and # follow.
        """),
      Setting(
        "picture", \.keepsImage, .bool,
        """
        Keep an image of the moment of each use, done or refused, in `state_directory`/actions, while the camera runs. \
        The newest 500 stay.
        """),
      Setting(
        "prominent", \.isProminent, .bool,
        """
        For what opens a door: the page offers it while it rings, before anybody answers, and in a color of its own; it \
        is held for a second.
        """),
    ]

  /// Returns nil, and logs why, for one that cannot be.
  private init?(_ table: ConfigTable) {
    let keys = Self.settings.values(of: table)
    code = keys.code
    keepsImage = keys.keepsImage
    isProminent = keys.isProminent
    guard let effect = Self.effect(keys, table), let name = keys.name else { return nil }
    self.name = name
    self.effect = effect
  }

  /// An action's name, as rules write it as well.
  static func checkName(_ text: String) throws(ConfigValueError) -> String {
    let isUsual = text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    guard (1...32).contains(text.utf8.count), isUsual else {
      throw ConfigValueError(
        "\"\(text)\" cannot be an action's name",
        remedy: "take 1 to 32 small letters, digits and dashes, such as \"open-door\"")
    }
    return text
  }

  private static func code(_ text: String) throws(ConfigValueError) -> DTMFCode {
    if let code = DTMFCode(text) { return code }
    throw ConfigValueError(
      "\"\(text)\" cannot be dialled",
      remedy: "write 1 to \(DTMFCode.maxDigits) of 0 to 9, *, # and A to D, such as dtmf = \"9\"")
  }

  private static func effect(_ keys: Keys, _ table: ConfigTable) -> Effect? {
    let kinds = ["gpio", "run", "home", "record"].filter { table.contains($0) }
    guard kinds.count == 1 else {
      if kinds.isEmpty {
        table.addMissing("gpio", example: "{ chip = \"gpiochip0\", line = 17, pulse = \"3s\" }")
      } else {
        let text = kinds.count == 2 ? "either \(kinds[0]) or \(kinds[1])" : "one of gpio, run, home and record"
        table.addError("an action has \(text)", remedy: "make \(kinds.count) actions of it", at: kinds[1])
      }
      return nil
    }
    if kinds != ["run"], table.contains("timeout") {
      table.addError("timeout has no effect with \(kinds[0])", remedy: "remove it", at: "timeout")
    }
    return keys.pulse.map { .pulse($0) } ?? keys.program.program.map { .program($0) } ?? keys.home.map { .home($0) }
      ?? keys.record.map { .record($0) }
  }

  private static func pulse(_ table: ConfigTable, _ key: String) -> LinePulse? {
    guard table.node(key) != nil else { return nil }
    let gpio = table.table(key)
    let chip = gpio.value("chip") { text throws(ConfigValueError) in
      guard !text.isEmpty, text.utf8.count <= 108 else { throw ConfigValueError("\"\(text)\" is no chip") }
      return text
    }
    let place = place(gpio)
    let isActiveLow = gpio.bool("active_low", default: false)
    let length = gpio.duration("pulse", in: .milliseconds(10)...(.seconds(600)))
    for (key, example) in [("chip", "\"gpiochip0\""), ("line", "17"), ("pulse", "\"3s\"")] where !gpio.contains(key) {
      gpio.addMissing(key, example: example)
    }
    guard let chip, let place, let length else { return nil }
    return LinePulse(line: ActionLine(chip: chip, place: place, isActiveLow: isActiveLow), length: length)
  }

  private static func place(_ gpio: ConfigTable) -> ActionLine.Place? {
    guard case .string? = gpio.node("line")?.value else {
      return gpio.integer("line", in: 0...65_535).map { .offset(UInt32(clamping: $0)) }
    }
    return gpio.value("line") { text throws(ConfigValueError) in
      guard (1...31).contains(text.utf8.count) else {
        throw ConfigValueError("line must have 1 to 31 bytes", remedy: "see gpioinfo for the lines' names")
      }
      return .name(text)
    }
  }

  private func check(_ table: ConfigTable, against others: [ActionSettings]) {
    if others.contains(where: { $0.name == name }) {
      table.addError("another action is named \"\(name)\"", remedy: "give each its own name", at: "name")
    }
    if let code, let other = others.first(where: { $0.code?.overlaps(code) == true }) {
      table.addError(
        "the action \"\(other.name)\" has the code \(other.code.map { "\($0)" } ?? "")",
        remedy: "let no code begin with another one", at: "dtmf")
    }
    guard let line else { return }
    if let other = others.first(where: { $0.line?.chip == line.chip && $0.line?.place == line.place }) {
      table.addError("the action \"\(other.name)\" has this line already", remedy: "take another line", at: "gpio")
    }
  }
}
