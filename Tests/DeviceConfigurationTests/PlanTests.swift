import CallPolicy
import ConfigFile
import DeviceConfiguration
import Testing

@Suite struct PlanTests {
  private static let sources =
    "[[event]]\nname = \"yard\"\nkind = \"motion\"\n[[event]]\nname = \"glass\"\nkind = \"sound\"\n"

  private func read(_ text: String) throws(ConfigErrors) -> [PlanSettings] { try GateFile.read(text).plans }

  private func complaint(_ text: String) -> String { GateFile.complaint(text) }

  private func plan(_ lines: String...) -> String { complaint("[[plan]]\n" + lines.joined(separator: "\n")) }

  @Test func everythingOfAPlan() throws {
    let plans = try read(
      "[video]\ntemporal_layers = 3\n" + Self.sources + """
        [[plan]]
        name = "yard"
        when = "events"
        sources = ["yard"]
        pre_roll = "5s"
        post_roll = "30s"
        segment = "5m"
        max_age = "30d"
        max_total = "20GiB"
        [[plan]]
        name = "night"
        stream = "thinned"
        when = ["Mon-Fri 19:00-07:00 Europe/Berlin", "Sat,Sun 00:00-24:00"]
        max_age = "3d"
        [[plan]]
        name = "day"
        when = "always"
        [[plan]]
        name = "old"
        when = "off"
        [[plan]]
        name = "all"
        when = "events"
        """)
    #expect(plans.map(\.name) == ["yard", "night", "day", "old", "all"])
    #expect(plans[0].occasion == .events(.init(sources: ["yard"], preRoll: .seconds(5), postRoll: .seconds(30))))
    #expect(plans[0].segment == .seconds(300))
    #expect(plans[0].maximumAge == .seconds(30 * 86_400))
    #expect(plans[0].maximumTotal == 20 << 30)
    guard case .hours(let hours) = plans[1].occasion else { return #expect(Bool(false)) }
    #expect(hours.map(\.text) == ["Mon-Fri 19:00-07:00 Europe/Berlin", "Sat,Sun 00:00-24:00"])
    #expect(plans.map(\.stream) == [.full, .thinned, .full, .full, .full])
    #expect(plans[2...3].map(\.occasion) == [.always, .off])
    #expect(plans[4].occasion == .events(.init(preRoll: .seconds(10), postRoll: .seconds(10))))
    #expect(plans[4].maximumAge == nil)
  }

  @Test func aTimeLapse() throws {
    let plans = try read(
      Self.sources
        + "[[plan]]\nname = \"sky\"\nwhen = \"always\"\nstream = \"time-lapse\"\nevery = \"10s\"\n"
        + "[[plan]]\nname = \"yard\"\nwhen = \"events\"\nstream = \"time-lapse\"\nevery = \"1s\"\n")
    #expect(plans.map(\.stream) == [.timeLapse(every: .seconds(10)), .timeLapse(every: .seconds(1))])
    #expect(plans[1].occasion == .events(PlanSettings.EventOccasion(preRoll: .zero, postRoll: .seconds(10))))
    let lapse = ["name = \"a\"", "when = \"always\"", "stream = \"time-lapse\""]
    #expect(plan(lapse[0], lapse[1], lapse[2]).contains("every is missing"))
    #expect(plan(lapse[0], lapse[1], lapse[2], "every = \"500ms\"").contains("outside 1 to 86400 seconds"))
    #expect(plan(lapse[0], lapse[1], lapse[2], "every = 10").contains("a string with a unit"))
    #expect(plan(lapse[0], lapse[1], "every = \"10s\"").contains("every does nothing unless"))
    #expect(
      complaint(
        Self.sources + "[[plan]]\nname = \"a\"\nwhen = \"events\"\n\(lapse[2])\nevery = \"1s\"\npre_roll = \"1s\""
      ).contains("a time-lapse has no pre-roll"))
    #expect(
      complaint("[video]\ncamera = \"none\"\n[[plan]]\n\(lapse.joined(separator: "\n"))\nevery = \"1s\"")
        .contains("there is no video for a time-lapse"))
  }

  @Test func mistakesAreToldWithTheirPlaces() {
    #expect(plan("when = \"always\"").contains("name"))
    #expect(plan("name = \"by hand\"", "when = \"always\"").contains("the name that manual recordings have"))
    #expect(plan("name = \"a\"").contains("when"))
    let misspelt = plan("name = \"a\"", "when = \"allways\"")
    #expect(misspelt.contains("device.toml:7:8"))
    #expect(misspelt.contains("Mon-Fri"))
    #expect(plan("name = \"a\"", "when = \"Mon-Fri 7:00-8:00\"").contains("not understood"))
    #expect(plan("name = \"a\"", "when = []").contains("empty list"))
    #expect(plan("name = \"a\"", "when = \"events\"").contains("no [[event]]"))
    #expect(plan("name = \"a\"", "when = \"always\"", "pre_roll = \"9s\"").contains("pre_roll does nothing"))
    #expect(plan("name = \"a\"", "when = \"always\"", "max_total = \"1MiB\"").contains("10 MiB"))
    #expect(plan("name = \"a\"", "when = \"always\"", "segmnt = 1").contains("unknown key"))
    #expect(plan("name = \"a\"", "when = \"always\"", "stream = \"thinned\"").contains("set temporal_layers"))
    #expect(plan("name = \"a\"", "when = \"always\"", "stream = \"thin\"").contains("one of full, thinned"))
    let same = "name = \"a\"\nwhen = \"always\""
    #expect(plan(same, "[[plan]]", same).contains("named \"a\""))
  }

  @Test func sourcesHaveToBeThere() {
    let unknown = complaint(
      Self.sources + "[[plan]]\nname = \"a\"\nwhen = \"events\"\nsources = [\"yard\", \"gras\"]")
    #expect(unknown.contains("named \"gras\""))
    #expect(unknown.contains("it is one of \"yard\", \"glass\""))
    #expect(complaint(Self.sources + "[[plan]]\nname = \"a\"\nwhen = \"events\"\nsources = []").contains("empty list"))
  }

  @Test func planThatContradictsOtherTables() {
    let always = "[[plan]]\nname = \"always\"\nwhen = \"always\""
    #expect(complaint(always) == "")
    #expect(complaint("[archive]\nrecord = \"always\"\n" + always).contains("another name"))
    let blind = "[video]\ncamera = \"none\"\n[audio]\nmicrophone = \"none\"\n"
    #expect(complaint(blind + always).contains("nothing to record"))
  }
}
