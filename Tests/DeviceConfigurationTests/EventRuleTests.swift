import CallPolicy
import ConfigFile
import EventDetection
import Foundation
import Delivery
import MediaCore
import Signalling
import Testing

@testable import DeviceConfiguration

@Suite struct EventRuleTests {
  private static let base = """
    [[event]]
    name = "yard"
    kind = "motion"
    [[event]]
    name = "glass"
    kind = "sound"
    [[action]]
    name = "light"
    run = ["/bin/true"]

    """

  private func read(_ text: String) throws(ConfigErrors) -> DeviceConfiguration { try GateFile.read(Self.base + text) }

  private func complaint(_ text: String) -> String { GateFile.complaint(Self.base + text) }

  @Test func everythingOfARule() throws {
    let configuration = try read(
      """
      [mail]
      sendmail = "/usr/bin/msmtp"
      from = "gate@example.org"
      timeout = "20s"
      [[plan]]
      name = "alarms"
      when = "rules"
      pre_roll = "5s"
      [[event_rule]]
      name = "quiet"
      event = ["yard"]
      home = true
      ignore = true
      [[event_rule]]
      name = "night"
      event = ["yard", "glass"]
      kind = ["motion"]
      hours = "daily 22:00-06:00"
      min_score = 40
      home = false
      at_most = "3 per 1h"
      min_gap = "5m"
      record = ["alarms"]
      call = ["user:a", "user:b"]
      hunt = "all-at-once"
      action = ["light"]
      webhook = true
      push = ["user:a", "group:family"]
      mail = ["ann@example.org"]
      run = ["/usr/local/bin/told", "yard"]
      timeout = "5s"
      """)
    #expect(configuration.mail.sendmail == "/usr/bin/msmtp")
    #expect(configuration.mail.sender?.text == "gate@example.org")
    #expect(configuration.mail.timeout == .seconds(20))
    #expect(configuration.plans[0].occasion == .rules(.init(preRoll: .seconds(5), postRoll: .seconds(10))))
    let quiet = configuration.eventRules[0]
    #expect(quiet.rule.isHome == true)
    #expect(quiet.effects.isEmpty)
    let night = configuration.eventRules[1]
    #expect(night.rule.sources == ["yard", "glass"])
    #expect(night.rule.kinds == [.motion])
    #expect(night.rule.minimumScore == 40)
    #expect(night.rule.limit == UseLimit(count: 3, span: .seconds(3_600)))
    #expect(night.rule.minimumGap == .seconds(300))
    #expect(night.rule.hours?.count == 1)
    #expect(night.effects.call == HuntSettings(users: ["a", "b"], order: .allAtOnce, ringFor: .seconds(20)))
    #expect(
      night.effects.summary == [
        "record by plan \"alarms\"", "call a, b (all-at-once)", "action light", "webhook",
        "push to user:a, group:family", "mail to ann@example.org", "run /usr/local/bin/told",
      ])
  }

  @Test func withoutRulesThereIsNothing() throws {
    let configuration = try read("")
    #expect(configuration.eventRules.isEmpty)
    #expect(configuration.mail.sendmail == "/usr/sbin/sendmail")
    #expect(configuration.mail.sender == nil)
  }

  @Test(arguments: [
    ("webhook = true", "name is missing in [[event_rule]]"),
    ("name = \"a\"", "the rule does nothing"),
    ("name = \"a\"\nwebhook = false", "add one of call, action, record, webhook, push, mail, run, or ignore = true"),
    ("name = \"a\"\nignore = true\nwebhook = true", "ignore = true with something to do"),
    (
      "name = \"a\"\nwebhok = true\nignore = true",
      "16:1: unknown key \"webhok\" in [[event_rule]]; did you mean \"webhook\"?"
    ),
    (
      "name = \"a\"\nevent = [\"yrad\"]\nignore = true",
      "16:10: there is no [[event]] or [[geofence]] named \"yrad\"; did you mean \"yard\"?"
    ),
    ("name = \"a\"\nevent = []\nignore = true", "event is an empty list"),
    ("name = \"a\"\nkind = [\"montion\"]\nignore = true", "did you mean \"motion\"?"),
    ("name = \"a\"\naction = [\"lihgt\"]", "there is no [[action]] named \"lihgt\"; did you mean \"light\"?"),
    ("name = \"a\"\nrecord = [\"x\"]", "there is no [[plan]] named \"x\"; add [[plan]] with name = \"x\""),
    ("name = \"a\"\nmail = [\"Ann <a@b>\"]", "\"Ann <a@b>\" is no mail address"),
    ("name = \"a\"\nmail = []", "mail has 0 addresses, not 1 to 8"),
    ("name = \"a\"\ncall = [\"x\"]", "\"x\" is no user to call"),
    ("name = \"a\"\npush = []", "push has 0 people, not 1 to 16"),
    ("name = \"a\"\npush = [\"Ann\"]", "\"Ann\" is no one to notify"),
    ("name = \"a\"\npush = [\"role:user\"]", "\"role:user\" is no one to notify"),
    ("name = \"a\"\nhunt = \"in-turn\"\nwebhook = true", "hunt without call does nothing"),
    ("name = \"call\"\ncall = [\"user:x\"]", "name cannot be \"call\""),
    ("name = \"a\"\ntimeout = \"2s\"\nwebhook = true", "timeout without run does nothing"),
    ("name = \"a\"\nrun = [\"told\"]", "run must begin with the absolute path"),
    ("name = \"a\"\nmin_score = 101\nwebhook = true", "min_score is 101, outside 0 to 100"),
    ("name = \"a\"\nat_most = \"5 an hour\"\nwebhook = true", "is no limit"),
    ("name = \"a\"\nwebhook = true\n[[event_rule]]\nname = \"a\"\nwebhook = true", "another rule is named \"a\""),
    (
      "name = \"a\"\nrecord = [\"p\"]\n[[plan]]\nname = \"p\"\nwhen = \"events\"",
      "plan \"p\" records whatever rules say"
    ),
    (
      "name = \"a\"\nwebhook = true\n[[plan]]\nname = \"p\"\nwhen = \"rules\"",
      "no rule has plan \"p\" record, which waits for that"
    ),
    (
      "name = \"a\"\nrecord = [\"p\"]\n[[plan]]\nname = \"p\"\nwhen = \"rules\"\nsources = [\"yard\"]",
      "sources does nothing unless when = \"events\""
    ),
    (
      "name = \"Bell\"\ncall = [\"user:x\"]\n[[button]]\nname = \"Bell\"\nkey = { device = \"k\", code = 2 }\n"
        + "press = \"answer\"",
      "a button is named \"Bell\""
    ),
  ])
  func mistakes(_ lines: String, _ text: String) {
    let told = complaint("[[event_rule]]\n" + lines)
    #expect(told.contains(text), "\(told)")
  }

  @Test func whatTheSampleFileShowsCanBeUsedAsItStands() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let path = folder.appending(path: "../../etc/livesessions/device.toml")
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map(String.init)
    let begin = try #require(lines.firstIndex(of: "#[[event_rule]]"))
    let shown = lines[begin...].prefix { $0 != "#[[button]]" }.filter { !$0.hasPrefix("# ") }
      .map { $0.dropFirst() }.joined(separator: "\n")
    let camera = "[video]\ncamera = \"test:bars\"\n[[camera]]\nname = \"yard\"\npath = \"test:bars\"\n"
    let plan = "[[plan]]\nname = \"alarms\"\nwhen = \"rules\"\n"
    let configuration = try read(camera + plan + shown)
    #expect(configuration.eventRules[0].effects.summary.count == 7)
    #expect(configuration.mail.sender != nil)
  }

  @Test func withoutSourcesNoRuleCanMatch() {
    do throws(ConfigErrors) {
      let minimum = "[device]\ntitle = \"G\"\n[hub]\nurl = \"http://127.0.0.1:1\"\n"
      _ = try DeviceConfiguration(text: minimum + "[[event_rule]]\nname = \"a\"\nwebhook = true", file: "d")
      Issue.record("it is refused")
    } catch {
      #expect("\(error)".contains("there is no [[event]] or [[geofence]] that the rule could be about"))
    }
  }

  @Test func anActionMaySayWhoIsAtHome() throws {
    let text = "[[action]]\nname = \"leave\"\nhome = false\n"
    #expect(try read(text).actions[1].effect == .home(false))
    #expect(complaint(text + "run = [\"/bin/true\"]").contains("either run or home"))
    #expect(complaint(text + "timeout = \"2s\"").contains("timeout has no effect with home"))
  }
}
