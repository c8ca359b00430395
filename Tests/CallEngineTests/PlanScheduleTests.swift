import CallPolicy
import EventDetection
import MediaCore
import Signalling
import Testing

@testable import CallEngine

/// Which plans want something recorded, in virtual time.
@Suite struct PlanScheduleTests {
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  private func after(_ seconds: Int64) -> MonotonicInstant { start + .seconds(seconds) }

  private func schedule(_ plans: RecordingPlan...) -> PlanSchedule {
    var schedule = PlanSchedule()
    schedule.setPlans(plans)
    return schedule
  }

  private func onEvents(_ name: String, of sources: Set<String>? = nil) -> RecordingPlan {
    let occasion = RecordingPlan.EventOccasion(sources: sources, preRoll: .seconds(10), postRoll: .seconds(20))
    return RecordingPlan(name: name, occasion: .events(occasion))
  }

  private func event(_ id: String, _ source: String = "yard", from begin: Int64, to end: Int64? = nil) -> TimedEvent {
    var event = TimedEvent(
      DetectedEvent(id: id, kind: .motion, source: source, start: 0, score: 1, clockSynchronized: true),
      start: after(begin))
    if let end { event.finish(at: after(end)) }
    return event
  }

  private func wanted(_ schedule: inout PlanSchedule, at seconds: Int64, isWithin: Bool? = nil) -> [String] {
    schedule.update(now: after(seconds)) { _ in isWithin }
  }

  @Test func alwaysAndOff() {
    var schedule = schedule(.always, RecordingPlan(name: "none", occasion: .never))
    #expect(wanted(&schedule, at: 0) == ["always"])
    #expect(schedule.nextDeadline(now: start) == nil)
    #expect(schedule.states(PlanRecordings()).map(\.text) == ["starting", "off"])
  }

  @Test func hoursThatAreUnknownRecordNothing() throws {
    let hours = try #require(WeeklyHours("Mon-Fri 19:00-07:00"))
    var schedule = schedule(RecordingPlan(name: "night", occasion: .hours([hours])))
    #expect(wanted(&schedule, at: 0) == [])
    #expect(schedule.states(PlanRecordings()).first?.text.contains("not synchronised") == true)
    #expect(wanted(&schedule, at: 5, isWithin: true) == ["night"])
    #expect(wanted(&schedule, at: 10, isWithin: false) == [])
    #expect(schedule.states(PlanRecordings()).map(\.text) == ["outside its hours"])
    #expect(schedule.nextDeadline(now: after(10)) == after(15))
  }

  @Test func anEventIsRecordedFromBeforeItUntilAfterIt() {
    var schedule = schedule(onEvents("yard"))
    #expect(wanted(&schedule, at: 0) == [])
    schedule.take(event("1", from: 100), now: after(101))
    #expect(wanted(&schedule, at: 101) == ["yard"])
    #expect(schedule.beginning(of: ["yard"]) == after(90))
    #expect(schedule.nextDeadline(now: after(101)) == nil)
    schedule.take(event("1", from: 100, to: 110), now: after(115))
    #expect(schedule.nextDeadline(now: after(115)) == after(130))
    #expect(wanted(&schedule, at: 129) == ["yard"])
    #expect(wanted(&schedule, at: 130) == [])
    #expect(schedule.beginning(of: ["yard"]) == nil)
  }

  @Test func aPlanForRulesRecordsWhatARuleSays() {
    let occasion = RecordingPlan.EventOccasion(sources: nil, preRoll: .seconds(10), postRoll: .seconds(20))
    var schedule = schedule(RecordingPlan(name: "alarms", occasion: .rules(occasion)), onEvents("yard"))
    schedule.take(event("1", from: 100), now: after(100))
    #expect(wanted(&schedule, at: 100) == ["yard"], "no rule has said so yet")
    #expect(schedule.states(PlanRecordings())[0].text == "waits for an event of which a rule says so")
    schedule.take(event("1", from: 100), for: ["alarms", "yard", "other"], now: after(103))
    #expect(wanted(&schedule, at: 103) == ["alarms", "yard"])
    #expect(schedule.beginning(of: ["alarms"]) == after(90))
    schedule.take(event("1", from: 100, to: 110), now: after(110))
    #expect(wanted(&schedule, at: 129) == ["alarms", "yard"])
    #expect(wanted(&schedule, at: 130) == [])
    schedule.take(event("1", from: 100, to: 110), for: ["alarms"], now: after(140))
    #expect(wanted(&schedule, at: 140) == [], "it is over")
  }

  @Test func moreEventsExtendIt() {
    var schedule = schedule(onEvents("yard"))
    schedule.take(event("1", from: 100), now: after(100))
    schedule.take(event("2", from: 105), now: after(105))
    schedule.take(event("1", from: 100, to: 110), now: after(110))
    #expect(wanted(&schedule, at: 200) == ["yard"], "the other one goes on")
    schedule.take(event("2", from: 105, to: 200), now: after(200))
    #expect(wanted(&schedule, at: 219) == ["yard"])
    schedule.take(event("3", from: 219), now: after(219))
    #expect(wanted(&schedule, at: 300) == ["yard"])
    #expect(schedule.beginning(of: ["yard"]) == after(90))
    schedule.take(event("3", from: 219, to: 300), now: after(330))
    #expect(wanted(&schedule, at: 330) == [], "it was told long after its end")
  }

  @Test func plansHearOfTheirSourcesAlone() {
    var schedule = schedule(onEvents("gate", of: ["gate", "bell"]), onEvents("all"))
    schedule.take(event("1", "yard", from: 100), now: after(100))
    #expect(wanted(&schedule, at: 100) == ["all"])
    schedule.take(event("2", "bell", from: 101), now: after(101))
    #expect(wanted(&schedule, at: 101) == ["gate", "all"])
    #expect(schedule.beginning(of: ["gate"]) == after(91))
  }

  @Test func anArchiveIsThinnedIfThatIsEnoughForAll() {
    let day = RecordingPlan(name: "day", occasion: .always, isThinned: true)
    #expect(PlannedArchive([day]).mode.isThinned)
    #expect(!PlannedArchive([day, onEvents("yard")]).mode.isThinned)
    #expect(!PlannedArchive([]).mode.isThinned, "what is started by hand is whole")
  }

  @Test func theShortestSegmentsCount() {
    let day = RecordingPlan(name: "day", occasion: .always, segment: .seconds(900))
    let night = RecordingPlan(name: "night", occasion: .never, segment: .seconds(60))
    #expect(PlannedArchive([day, onEvents("yard")]).mode.segment == .seconds(900))
    #expect(PlannedArchive([day, night]).mode.segment == .seconds(60))
    #expect(PlannedArchive([onEvents("yard")]).mode.segment == nil)
  }

  @Test func whatWasStoppedByHandBeginsWithTheNextEvent() {
    var schedule = schedule(onEvents("yard"), .always)
    schedule.take(event("1", from: 100), now: after(100))
    #expect(wanted(&schedule, at: 100) == ["yard", "always"])
    schedule.pause(["yard", "always"])
    #expect(wanted(&schedule, at: 100) == [])
    schedule.take(event("1", from: 100, to: 105), now: after(105))
    #expect(wanted(&schedule, at: 105) == [], "the end of what was stopped begins no post-roll")
    schedule.take(event("2", from: 106), now: after(106))
    #expect(wanted(&schedule, at: 106) == ["yard"])
    let isResumed = schedule.resume()
    #expect(isResumed)
    #expect(schedule.wanted == ["yard", "always"])
    let isResumedAgain = schedule.resume()
    #expect(!isResumedAgain)
  }

  @Test func hoursThatWereStoppedByHandBeginWithTheNextOnes() throws {
    let hours = try #require(WeeklyHours("daily 19:00-07:00"))
    var schedule = schedule(RecordingPlan(name: "night", occasion: .hours([hours])))
    #expect(wanted(&schedule, at: 0, isWithin: true) == ["night"])
    schedule.pause(["night"])
    #expect(wanted(&schedule, at: 5, isWithin: true) == [])
    #expect(schedule.states(PlanRecordings()).map(\.text) == ["stopped manually"])
    #expect(wanted(&schedule, at: 10, isWithin: false) == [])
    #expect(wanted(&schedule, at: 15, isWithin: true) == ["night"])
  }

  @Test func aReloadKeepsEventsOfPlansThatStay() {
    var schedule = schedule(onEvents("yard"))
    schedule.take(event("1", from: 100), now: after(100))
    schedule.setPlans([onEvents("yard"), .always])
    #expect(wanted(&schedule, at: 100) == ["yard", "always"])
    schedule.setPlans([])
    #expect(wanted(&schedule, at: 100) == [])
  }

  // MARK: Plans that are changed

  @Test func aNewPlanBeginsWithTheEventThatGoesOn() {
    var schedule = schedule(onEvents("yard", of: ["yard"]))
    schedule.take(event("1", from: 100), now: after(100))
    schedule.setPlans([onEvents("yard", of: ["yard"]), onEvents("all"), onEvents("glass", of: ["glass"])])
    #expect(wanted(&schedule, at: 101) == ["yard", "all"])
    #expect(schedule.beginning(of: ["all"]) == after(90))
    schedule.take(event("1", from: 100, to: 110), now: after(110))
    schedule.setPlans([onEvents("later")])
    #expect(wanted(&schedule, at: 110) == [], "the event is over")
  }

  @Test func aChangedPlanGoesOnWithItsEvents() {
    var schedule = schedule(onEvents("yard", of: ["yard"]))
    schedule.take(event("1", from: 100), now: after(100))
    schedule.take(event("2", "glass", from: 100), now: after(100))
    schedule.setPlans([onEvents("yard")])
    #expect(wanted(&schedule, at: 101) == ["yard"])
    schedule.take(event("1", from: 100, to: 110), now: after(110))
    #expect(wanted(&schedule, at: 200) == ["yard"], "the other source counts by now, too")
    schedule.setPlans([onEvents("yard", of: ["door"])])
    #expect(wanted(&schedule, at: 201) == [])
  }

  @Test func anEventThatCountsNoMoreLeavesNoBeginning() {
    var schedule = schedule(onEvents("yard", of: ["yard"]))
    schedule.take(event("1", from: 100), now: after(100))
    schedule.setPlans([onEvents("yard", of: ["glass"])])
    schedule.take(event("1", from: 100, to: 110), now: after(110))
    schedule.take(event("2", "glass", from: 5_000), now: after(5_000))
    #expect(wanted(&schedule, at: 5_000) == ["yard"])
    #expect(schedule.beginning(of: ["yard"]) == after(4_990))
  }

  @Test func aPostRollLastsForAsLongAsThePlanSaysNow() {
    func plan(_ seconds: Int64) -> RecordingPlan {
      let occasion = RecordingPlan.EventOccasion(sources: nil, preRoll: .seconds(10), postRoll: .seconds(seconds))
      return RecordingPlan(name: "yard", occasion: .events(occasion))
    }
    var schedule = schedule(plan(20))
    schedule.take(event("1", from: 100), now: after(100))
    schedule.take(event("1", from: 100, to: 110), now: after(110))
    schedule.setPlans([plan(60)])
    #expect(wanted(&schedule, at: 130) == ["yard"])
    #expect(schedule.nextDeadline(now: after(130)) == after(170))
    schedule.setPlans([plan(10)])
    #expect(wanted(&schedule, at: 131) == [])
  }

  @Test func whatARuleHasRecordedGoesOnUnlessThePlanWaitsForRulesNoMore() {
    let occasion = RecordingPlan.EventOccasion(sources: nil, preRoll: .seconds(10), postRoll: .seconds(20))
    var thinned = RecordingPlan(name: "alarms", occasion: .rules(occasion))
    var schedule = schedule(thinned)
    schedule.take(event("1", from: 100), now: after(100))
    schedule.take(event("1", from: 100), for: ["alarms"], now: after(100))
    thinned.isThinned = true
    schedule.setPlans([thinned])
    #expect(wanted(&schedule, at: 101) == ["alarms"])
    schedule.setPlans([onEvents("alarms", of: ["glass"])])
    #expect(wanted(&schedule, at: 102) == [])
    schedule.setPlans([thinned])
    #expect(wanted(&schedule, at: 103) == [], "no rule has said so to this one")
  }

  @Test func aPlanThatRecordsAlwaysByNowNeedsNoEvent() {
    var schedule = schedule(onEvents("yard"))
    schedule.setPlans([RecordingPlan(name: "yard", occasion: .always)])
    #expect(wanted(&schedule, at: 1) == ["yard"])
    schedule.setPlans([onEvents("yard")])
    #expect(wanted(&schedule, at: 2) == [])
  }

  @Test func whatIsRecordedByHandEndsWhenItWouldHave() {
    func manual(_ seconds: Int64) -> RecordingPlan {
      RecordingPlan(name: "by hand", occasion: .manual(.seconds(seconds)))
    }
    var schedule = schedule(manual(60))
    schedule.beginManually(now: start)
    schedule.setPlans([manual(600)])
    #expect(schedule.manualEnd == after(60))
    #expect(wanted(&schedule, at: 59) == ["by hand"])
    #expect(wanted(&schedule, at: 60) == [])
    schedule.beginManually(now: after(70))
    #expect(schedule.manualEnd == after(670))
  }
}
