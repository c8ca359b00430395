import CallPolicy
import MediaCore
import Signalling
import Testing

/// In virtual time.
@Suite struct EventResponderTests {
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  private func after(_ seconds: Int64) -> MonotonicInstant { start + .seconds(seconds) }

  private func rule(_ name: String, _ change: (inout EventRule) -> Void = { _ in }) -> EventRule {
    var rule = EventRule(name: name)
    change(&rule)
    return rule
  }

  private func event(_ id: String, score: Int = 50, end: Int64? = nil) -> DetectedEvent {
    var event = DetectedEvent(
      id: id, kind: .motion, source: "yard", start: 0, score: score, clockSynchronized: true)
    event.end = end
    return event
  }

  private func take(
    _ responder: inout EventResponder, _ event: DetectedEvent, at seconds: Int64 = 0, isHome: Bool = false
  ) -> String? {
    responder.take(event, in: EventCircumstances(isHome: isHome), now: after(seconds))?.rule?.name
  }

  @Test func anEventIsJudgedWhenItBeginsAndNotWhenItEnds() {
    var responder = EventResponder(EventPolicy(rules: [rule("all")]))
    #expect(take(&responder, event("1")) == "all")
    #expect(take(&responder, event("1")) == nil, "it has been judged")
    #expect(take(&responder, event("1", end: 5)) == nil)
    #expect(take(&responder, event("2")) == "all")
  }

  @Test func aStrongerMomentIsJudgedByTheRulesAbove() {
    let rules = [rule("strong") { $0.minimumScore = 80 }, rule("medium") { $0.minimumScore = 60 }, rule("all")]
    var responder = EventResponder(EventPolicy(rules: rules))
    #expect(take(&responder, event("1", score: 40)) == "all")
    #expect(take(&responder, event("1", score: 59)) == nil)
    #expect(take(&responder, event("1", score: 85)) == "strong")
    #expect(take(&responder, event("1", score: 99)) == nil, "each rule matches an event once")
    #expect(take(&responder, event("2", score: 40)) == "all")
    #expect(take(&responder, event("2", score: 61)) == "medium")
  }

  @Test func anEventThatNoRuleMatchedYetIsJudgedAgain() {
    var responder = EventResponder(EventPolicy(rules: [rule("strong") { $0.minimumScore = 80 }]))
    #expect(take(&responder, event("1", score: 40)) == nil)
    #expect(take(&responder, event("1", score: 80)) == "strong")
  }

  @Test func atMostSoManyInASpan() {
    let rules = [rule("call") { $0.limit = UseLimit(count: 2, span: .seconds(100)) }, rule("rest")]
    var responder = EventResponder(EventPolicy(rules: rules))
    var decided: [String?] = []
    for (number, seconds) in [0, 10, 99, 100, 109, 110].enumerated() {
      decided.append(take(&responder, event("\(number)"), at: Int64(seconds)))
    }
    #expect(decided == ["call", "call", "rest", "call", "rest", "call"])
  }

  @Test func aGapCountsFromTheLastMatch() {
    var responder = EventResponder(EventPolicy(rules: [rule("mail") { $0.minimumGap = .seconds(60) }]))
    #expect(take(&responder, event("1"), at: 0) == "mail")
    #expect(take(&responder, event("2"), at: 59) == nil)
    #expect(take(&responder, event("3"), at: 60) == "mail")
    #expect(take(&responder, event("4"), at: 119) == nil)
  }

  @Test func anExplanationCountsForNothingAndKnowsTheLimits() {
    var responder = EventResponder(EventPolicy(rules: [rule("mail") { $0.minimumGap = .seconds(60) }]))
    let subject = EventSubject(kind: .motion, source: "yard", score: 1)
    let circumstances = EventCircumstances(isHome: false)
    for _ in 0..<3 {
      #expect(responder.evaluate(subject, in: circumstances, now: after(0)).rule?.name == "mail")
    }
    #expect(take(&responder, event("1"), at: 0) == "mail")
    let evaluation = responder.evaluate(subject, in: circumstances, now: after(20))
    #expect(evaluation.rule == nil)
    #expect(evaluation.traces[0].reasons == ["it was used as often as it may; again in 40s"])
  }

  @Test func newRulesKeepTheLimitsAndLeaveWhatGoesOn() {
    let gap = rule("mail") { $0.minimumGap = .seconds(60) }
    var responder = EventResponder(EventPolicy(rules: [gap]))
    #expect(take(&responder, event("1"), at: 0) == "mail")
    responder.apply(EventPolicy(rules: [gap, rule("new")]))
    #expect(take(&responder, event("1", score: 90), at: 1) == nil)
    #expect(take(&responder, event("2"), at: 1) == "new")
    #expect(take(&responder, event("3"), at: 60) == "mail")
  }

  @Test func eventsThatNeverEndAreBounded() {
    var responder = EventResponder(EventPolicy(rules: [rule("all")]))
    let decided = (0..<200).compactMap { take(&responder, event("\($0)")) }
    #expect(decided.count == 64)
    #expect(take(&responder, event("0", end: 1)) == nil)
    #expect(take(&responder, event("new")) == "all")
  }
}
