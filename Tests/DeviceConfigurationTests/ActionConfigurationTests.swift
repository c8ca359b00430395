import CallPolicy
import ConfigFile
import Testing

@testable import DeviceConfiguration

@Suite("Actions in device.toml and policy.toml") struct ActionConfigurationTests {
  private static let head = "[device]\ntitle = \"Gate\"\n[hub]\nurl = \"http://127.0.0.1:8080\"\n"

  private func actions(_ text: String) throws -> [ActionSettings] {
    try DeviceConfiguration(text: Self.head + text, file: "d.toml").actions
  }

  private func errors(_ text: String) -> String {
    #expect(throws: ConfigErrors.self) { try actions(text) }?.description ?? ""
  }

  private func policyErrors(_ text: String) -> String {
    #expect(throws: ConfigErrors.self) { try PolicyFile.read(text: text, file: "p.toml") }?.description ?? ""
  }

  @Test("lines and programs are read as written")
  func effects() throws {
    let actions = try actions(
      """
      [[action]]
      name = "open-door"
      prominent = true
      gpio = { chip = "gpiochip0", line = 17, active_low = true, pulse = "3s" }
      [[action]]
      name = "light"
      run = ["/usr/bin/light", "on"]
      timeout = "5s"
      dtmf = "*1"
      [[action]]
      name = "gate"
      gpio = { chip = "pinctrl-bcm2711", line = "GATE", pulse = "500ms" }
      """)
    #expect(actions.map(\.name) == ["open-door", "light", "gate"])
    let door = ActionLine(chip: "gpiochip0", place: .offset(17), isActiveLow: true)
    #expect(actions[0].effect == .pulse(.init(line: door, length: .seconds(3))))
    #expect(actions[1].effect == .program(.init(command: ["/usr/bin/light", "on"], timeout: .seconds(5))))
    #expect(actions[2].line?.place == .name("GATE"))
    #expect(actions.map { $0.code?.description } == [nil, "*1", nil])
    #expect(actions.map(\.isProminent) == [true, false, false])
  }

  @Test(
    "mistakes name file, line and field",
    arguments: [
      ("name = \"Open\"\nrun = [\"/bin/true\"]", "d.toml:6:8: \"Open\" cannot be an action's name"),
      ("name = \"a\"", "gpio is missing"),
      ("name = \"a\"\nrun = [\"true\"]", "run must begin with the absolute path"),
      ("name = \"a\"\nrun = []", "run must begin with the absolute path"),
      ("name = \"a\"\nrun = [\"/bin/true\"]\ngpio = { chip = \"c\", line = 1, pulse = \"1s\" }", "either gpio or run"),
      ("name = \"a\"\ngpio = { chip = \"c\", line = 1 }", "pulse is missing"),
      ("name = \"a\"\ngpio = { chip = \"c\", line = -1, pulse = \"1s\" }", "line is -1"),
      ("name = \"a\"\ngpio = { chip = \"c\", line = 1, pulse = \"1h\" }", "pulse is 1h"),
      ("name = \"a\"\ngpio = { chip = \"c\", line = 1, pulse = \"1s\", pull = 1 }", "unknown key \"pull\""),
      ("name = \"a\"\nrun = [\"/bin/true\"]\ndtmf = \"9x\"", "d.toml:8:8: \"9x\" cannot be dialled"),
      ("name = \"a\"\nrun = [\"/bin/true\"]\ndtmf = \"\"", "cannot be dialled"),
      (
        "name = \"a\"\nrun = [\"/bin/true\"]\ndtmf = \"12\"\n[[action]]\nname = \"b\"\nrun = [\"/bin/true\"]\ndtmf = \"1\"",
        "the action \"a\" has the code 12; let no code begin with another one"
      ),
      ("name = \"a\"\nrun = [\"/bin/true\"]\ntimeuot = \"1s\"", "did you mean \"timeout\""),
      (
        "name = \"a\"\nrun = [\"/bin/true\"]\n[[action]]\nname = \"a\"\nrun = [\"/bin/true\"]",
        "another action is named"
      ),
    ])
  func mistakes(text: String, expected: String) {
    let errors = errors("[[action]]\n" + text)
    #expect(errors.contains(expected), "\(errors)")
  }

  @Test("two actions cannot drive one line")
  func oneLine() {
    let line = "gpio = { chip = \"c\", line = 1, pulse = \"1s\" }\n"
    let errors = errors("[[action]]\nname = \"a\"\n\(line)[[action]]\nname = \"b\"\n\(line)")
    #expect(errors.contains("the action \"a\" has this line already"))
  }

  @Test("a rule with every key is read as written")
  func everyKey() throws {
    let policy = try PolicyFile.read(
      text: """
        [[action_rule]]
        name = "residents"
        action = ["open-door"]
        caller = ["group:residents", "local", "button:Front door"]
        hours = "daily 06:00-22:00"
        in_call = true
        at_most = "5 per 10m"
        pin = "credential:door-pin"
        [[action_rule]]
        action = ["open-door", "light"]
        decision = "refuse"
        """, file: "p.toml")
    let first = try #require(policy.actions.rules.first)
    #expect(first.name == "residents" && first.needsCall && first.allows)
    #expect(first.requesters == [.caller(.group("residents")), .local, .button(name: "Front door")])
    #expect(first.limit == UseLimit(count: 5, span: .seconds(600)))
    #expect(first.pin == .credential(name: "door-pin"))
    #expect(policy.timeZones == [.system])
    #expect(policy.actions.rules[1].name == "action rule 2" && !policy.actions.rules[1].allows)
  }

  @Test(
    "rules that cannot mean what they say are refused",
    arguments: [
      ("action = [\"a\"]", "caller is missing"), ("caller = [\"local\"]", "action is missing"),
      ("action = []\ncaller = [\"local\"]", "action is an empty list"),
      ("action = [\"a\"]\ncaller = []", "caller is an empty list"),
      ("action = [\"a\"]\ncaller = [\"lokal\"]", "not a caller"),
      ("action = [\"a\"]\ncaller = [\"local\"]\nat_most = \"often\"", "is no limit"),
      ("action = [\"a\"]\ncaller = [\"local\"]\nat_most = \"0 per 1m\"", "is no limit"),
      ("action = [\"a\"]\ncaller = [\"local\"]\npin = \"4711\"", "pin must name where the PIN stands"),
      ("action = [\"a\"]\ncaller = [\"local\"]\npin = \"credential:../x\"", "pin must name where the PIN stands"),
      ("action = [\"a\"]\ndecision = \"refuse\"\npin = \"/p\"", "pin has no effect"),
      ("action = [\"a\"]\ncaller = [\"local\"]\nin_call = true", "only callers are in a call"),
      ("action = [\"a\"]\ncaller = [\"button:B\"]\nin_call = true", "only callers are in a call"),
      ("action = [\"a\"]\ncaller = [\"button:B\"]\npin = \"/p\"", "buttons and events cannot enter a PIN"),
      ("action = [\"a\"]\ncaller = [\"button:\"]", "write local, http, mqtt, button:NAME, event:NAME, user:ID"),
    ])
  func unclearRules(text: String, expected: String) {
    let errors = policyErrors("[[action_rule]]\n" + text)
    #expect(errors.contains(expected), "\(errors)")
    #expect(!errors.contains("4711") || expected.contains("pin") && !errors.contains("\"4711\""))
  }
}
