import CallPolicy
import Signalling
import Testing

@Suite("What events set off") struct EventPolicyTests {
  private let yard = EventSubject(kind: .motion, source: "yard", score: 50)

  private func rule(_ name: String, _ change: (inout EventRule) -> Void = { _ in }) -> EventRule {
    var rule = EventRule(name: name)
    change(&rule)
    return rule
  }

  private func matches(
    _ event: EventSubject, isHome: Bool = false, times: [PolicyTimeZone: LocalTime] = [:],
    _ change: (inout EventRule) -> Void
  ) -> Bool {
    let circumstances = EventCircumstances(isHome: isHome, localTimes: times)
    return EventPolicy(rules: [rule("a", change)]).evaluate(event, in: circumstances).rule != nil
  }

  @Test func theFirstRuleThatMatchesDecides() {
    let policy = EventPolicy(rules: [
      rule("glass") { $0.sources = ["glass"] }, rule("all"), rule("never"),
    ])
    let evaluation = policy.evaluate(yard, in: EventCircumstances(isHome: false))
    #expect(evaluation.rule?.name == "all")
    #expect(evaluation.place == 1)
    #expect(
      evaluation.traces.map(\.description) == [
        "no match: \"glass\": \"yard\" is not \"glass\"", "matches: \"all\": it has no conditions",
      ])
    #expect(EventPolicy().evaluate(yard, in: EventCircumstances(isHome: false)).rule == nil)
  }

  @Test func eachConditionHasToHold() {
    #expect(matches(yard) { $0.sources = ["yard", "glass"] })
    #expect(!matches(yard) { $0.sources = ["glass"] })
    #expect(matches(yard) { $0.kinds = [.motion] })
    #expect(!matches(yard) { $0.kinds = [.sound, .tamper] })
    #expect(matches(yard) { $0.minimumScore = 50 })
    #expect(!matches(yard) { $0.minimumScore = 51 })
    #expect(matches(yard) { $0.cameras = ["device"] })
    #expect(!matches(yard) { $0.cameras = ["gate"] })
    let gate = EventSubject(kind: .tamper, source: "cover", score: 50, camera: "gate")
    #expect(matches(gate) { $0.cameras = ["gate", "yard"] })
    #expect(!matches(gate) { $0.cameras = ["device"] })
    #expect(!matches(EventSubject(kind: .sound, source: "glass", score: 50)) { $0.cameras = ["device", "gate"] })
    #expect(matches(yard, isHome: false) { $0.isHome = false })
    #expect(!matches(yard, isHome: true) { $0.isHome = false })
    #expect(matches(yard, isHome: true) { $0.isHome = true })
    #expect(
      !matches(yard) {
        $0.kinds = [.motion]
        $0.minimumScore = 99
      })
  }

  @Test func hoursThatAreUnknownSetNothingOff() throws {
    let night = try #require(WeeklyHours("daily 22:00-06:00"))
    func times(_ minute: Int, isTrusted: Bool = true) -> [PolicyTimeZone: LocalTime] {
      [.system: LocalTime(weekday: .monday, minuteOfDay: minute, isClockTrusted: isTrusted)]
    }
    #expect(matches(yard, times: times(23 * 60)) { $0.hours = [night] })
    #expect(!matches(yard, times: times(12 * 60)) { $0.hours = [night] })
    #expect(!matches(yard, times: times(23 * 60, isTrusted: false)) { $0.hours = [night] })
    #expect(!matches(yard) { $0.hours = [night] }, "the zone's file is gone")
    let policy = EventPolicy(rules: [rule("night") { $0.hours = [night] }])
    #expect(policy.timeZones == [.system])
    let trace = policy.evaluate(yard, in: EventCircumstances(isHome: false)).traces[0]
    #expect(trace.ruling == "does not match, because what is unknown sets nothing off")
  }

  @Test func aRuleThatIsUsedUpLetsTheNextOneDecide() {
    let policy = EventPolicy(rules: [rule("call"), rule("mail")])
    var circumstances = EventCircumstances(isHome: false)
    circumstances.waits = ["call": .seconds(1_199) + .milliseconds(1)]
    let evaluation = policy.evaluate(yard, in: circumstances)
    #expect(evaluation.rule?.name == "mail")
    #expect(evaluation.traces[0].reasons == ["it was used as often as it may; again in 20m"])
  }

  @Test func rulesBelowOneThatHasMatchedAreLeftOut() {
    let policy = EventPolicy(rules: [rule("strong") { $0.minimumScore = 80 }, rule("all")])
    var event = yard
    #expect(policy.evaluate(event, in: EventCircumstances(isHome: false), above: 1).rule == nil)
    event.score = 80
    #expect(policy.evaluate(event, in: EventCircumstances(isHome: false), above: 1).rule?.name == "strong")
    #expect(policy.evaluate(event, in: EventCircumstances(isHome: false), above: 0).rule == nil)
  }
}
