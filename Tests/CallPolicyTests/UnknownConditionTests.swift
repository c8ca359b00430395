import CallPolicy
import Signalling
import TestSupport
import Testing

@Suite("What cannot be known lets nobody in")
struct UnknownConditionTests {
  private static let night = WeeklyHours("daily 22:00-06:00")!
  private static let answer = PolicyDecision.answer(AnswerSettings())
  private static let ring = decision(then: .reject(.declined))
  private static let ringThenAnswer = decision(then: .answer)
  private let stranger = CallRequest(callerID: "u9", callerRole: .user, isAudio: true, isVideo: true)

  private static func decision(then outcome: RingSettings.Outcome) -> PolicyDecision {
    .ring(RingSettings(timeout: .seconds(30), then: outcome, answer: AnswerSettings()))
  }

  private func evaluate(_ decisions: [PolicyDecision], _ first: [PolicyCondition]) throws -> Evaluation {
    let rules = try decisions.enumerated().map { index, decision in
      try PolicyRule(name: "\(index)", conditions: index == 0 ? first : [], decision: decision)
    }
    let noon = LocalTime(weekday: .monday, minuteOfDay: 720, isClockTrusted: false)
    return CallPolicy(rules: rules).evaluate(stranger, in: CallCircumstances(localTimes: [.system: noon]))
  }

  @Test(
    "an unknown condition matches a rule that refuses and none that admits", arguments: ["clock", "zone", "distance"])
  func unknown(cause: String) throws {
    let zone = try #require(WeeklyHours("daily 22:00-06:00 Europe/Berlin"))
    let condition: [PolicyCondition] =
      switch cause {
      case "clock": [.hours([Self.night])]
      case "zone": [.hours([zone])]
      default: [.callUp(false), .within(metres: 100)]
      }
    let refused = try evaluate([.reject(.outsideHours), Self.answer], condition)
    #expect(refused.decision == .reject(.outsideHours))
    #expect(refused.lines[0].hasPrefix("matches: \"0\": unknown: "))
    #expect(refused.lines[0].hasSuffix(" — matches, because the rule refuses"))
    let admitted = try evaluate([Self.answer], condition)
    #expect(admitted.decision == .reject(.notAllowed))
    #expect(admitted.lines[0].hasSuffix(" — does not match, because the rule admits"))
  }

  @Test("an unknown rule that rings holds where what follows would admit the call more freely")
  func ringing() throws {
    let hours = [PolicyCondition.hours([Self.night])]
    #expect(try evaluate([Self.ring, Self.answer], hours).ruleName == "0")
    #expect(try evaluate([Self.ring, Self.ringThenAnswer], hours).ruleName == "0")
    #expect(try evaluate([Self.ringThenAnswer, Self.answer], hours).ruleName == "0")
    #expect(try evaluate([Self.ringThenAnswer, Self.ring], hours).ruleName == "1")
    #expect(try evaluate([Self.ring, .reject(.busy)], hours).ruleName == "1")
    #expect(try evaluate([Self.ring], hours).decision == .reject(.notAllowed))
    let lines = try evaluate([Self.ring, Self.answer], hours).lines
    #expect(lines.count == 2)
    #expect(lines[0].hasSuffix("matches, because the rules below would admit the call more freely"))
  }

  @Test("a condition that does not hold settles a rule, whatever is unknown besides")
  func mixed() throws {
    let conditions: [PolicyCondition] = [.hours([Self.night]), .caller([.role(.operator)])]
    let evaluation = try evaluate([.reject(.outsideHours), Self.answer], conditions)
    #expect(evaluation.ruleName == "1")
    #expect(evaluation.traces[0].reasons == ["caller is not role:operator"])
  }

  @Test("hours that hold in one zone hold, also where another zone is unknown")
  func otherZone() throws {
    let zone = try #require(WeeklyHours("daily 00:00-24:00 Europe/Berlin"))
    let rule = try PolicyRule(
      name: "r", conditions: [.hours([Self.night, zone])], decision: .answer(AnswerSettings()))
    let noon = LocalTime(weekday: .monday, minuteOfDay: 720, isClockTrusted: true)
    let known = CallCircumstances(localTimes: [.named("Europe/Berlin"): noon])
    #expect(CallPolicy(rules: [rule]).evaluate(stranger, in: known).ruleName == "r")
  }
}

@Suite("Random policies")
struct PolicyPropertyTests {
  private static let zones = ["", " Europe/Berlin", " Asia/Tokyo"]

  private func condition(_ random: inout SeededGenerator) -> PolicyCondition {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .caller([.role(CallerRole.allCases.randomElement(using: &random)!)])
    case 1: .media(audio: .random(using: &random), video: .random(using: &random))
    case 2: .callUp(.random(using: &random))
    case 3: .recentCalls(count: .random(in: 1...3, using: &random), span: .seconds(60))
    case 4: .within(metres: .random(in: 0...1_000, using: &random))
    default: .hours((0..<Int.random(in: 1...3, using: &random)).map { _ in hours(&random) })
    }
  }

  private func hours(_ random: inout SeededGenerator) -> WeeklyHours {
    let start = Int.random(in: 10..<24, using: &random)
    let end = Int.random(in: 10..<24, using: &random)
    let text = "daily \(start):00-\(end):30\(Self.zones.randomElement(using: &random)!)"
    return WeeklyHours(text)!
  }

  private func decision(_ random: inout SeededGenerator) -> PolicyDecision {
    let settings = AnswerSettings()
    let outcome: RingSettings.Outcome = .random(using: &random) ? .answer : .reject(.declined)
    return switch Int.random(in: 0..<3, using: &random) {
    case 0: .answer(settings)
    case 1: .reject(.busy)
    default: .ring(RingSettings(timeout: .seconds(30), then: outcome, answer: settings))
    }
  }

  private func policy(_ random: inout SeededGenerator) throws -> CallPolicy {
    let rules = try (0..<Int.random(in: 1...6, using: &random)).map { index in
      let conditions = (0..<Int.random(in: 0...3, using: &random)).map { _ in condition(&random) }
      return try PolicyRule(name: "\(index)", conditions: conditions + [.callUp(false)], decision: decision(&random))
    }
    return CallPolicy(rules: rules)
  }

  private func circumstances(_ random: inout SeededGenerator) -> CallCircumstances {
    var times: [PolicyTimeZone: LocalTime] = [:]
    for zone in [PolicyTimeZone.system, .named("Europe/Berlin"), .named("Asia/Tokyo")] {
      times[zone] = LocalTime(
        weekday: .monday, minuteOfDay: .random(in: 0..<1_440, using: &random), isClockTrusted: true)
    }
    let recent = (0..<Int.random(in: 0...3, using: &random)).map { _ in Duration.seconds(30) }
    return CallCircumstances(callsUp: 0, recentCalls: recent, localTimes: times)
  }

  /// How freely a call is let in.
  private func freedom(_ decision: PolicyDecision) -> Int {
    switch decision {
    case .reject: 0
    case .ring(let ring): ring.then == .answer ? 2 : 1
    case .answer: 3
    }
  }

  @Test("making something unknown never lets a caller in more freely", arguments: 0..<20)
  func unknownNeverAdmits(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let policy = try policy(&random)
      var request = CallRequest(
        callerID: "u", callerRole: CallerRole.allCases.randomElement(using: &random)!, isAudio: .random(using: &random),
        isVideo: .random(using: &random), distance: .random(in: 0...1_000, using: &random))
      var circumstances = circumstances(&random)
      let known = policy.evaluate(request, in: circumstances)
      if .random(using: &random) { request.distance = nil }
      for zone in circumstances.localTimes.keys.sorted(by: { "\($0)" < "\($1)" }) where .random(using: &random) {
        if .random(using: &random) {
          circumstances.localTimes[zone] = nil
        } else {
          circumstances.localTimes[zone]?.isClockTrusted = false
        }
      }
      let unknown = policy.evaluate(request, in: circumstances)
      #expect(freedom(unknown.decision) <= freedom(known.decision), "\(policy)")
    }
  }
}
