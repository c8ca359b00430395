import CallPolicy
import Signalling
import Testing

@Suite("Call policy")
struct CallPolicyTests {
  private let stranger = CallRequest(callerID: "u9", callerRole: .user, isAudio: true, isVideo: true)

  private func rule(
    _ name: String, _ conditions: [PolicyCondition], _ decision: PolicyDecision
  ) throws -> PolicyRule {
    try PolicyRule(name: name, conditions: conditions, decision: decision)
  }

  @Test("a policy without rules rejects")
  func defaultReject() {
    let evaluation = CallPolicy(rules: []).evaluate(stranger)
    #expect(evaluation.decision == .reject(.notAllowed))
    #expect(evaluation.ruleName == nil)
  }

  @Test("no one is rung for a viewer, and a rule that rings lets none pass it by")
  func noOneIsRungForAViewer() throws {
    let ring = RingSettings(timeout: .seconds(30), then: .answer, answer: AnswerSettings())
    let policy = CallPolicy(rules: [
      try rule("family", [.caller([.group("family")])], .ring(ring)), try rule("all", [], .answer(AnswerSettings())),
    ])
    var viewer = CallRequest(
      callerID: "viewer-1", callerRole: .viewer, callerGroups: ["family"], isAudio: true, isVideo: true)
    let refused = policy.evaluate(viewer)
    #expect(refused.decision == .reject(.notAllowed) && refused.ruleName == "family")
    #expect(refused.traces[0].reasons.last == "the rule rings, which it does for no viewer")
    viewer.callerGroups = []
    #expect(policy.evaluate(viewer).decision == .answer(AnswerSettings()))
    #expect(policy.evaluate(viewer).traces[0].reasons == ["caller is not group:family"])
  }

  @Test("the first rule that matches decides, even when a later one would too")
  func firstMatch() throws {
    let policy = CallPolicy(rules: [
      try rule("not me", [.caller([.user("u1")])], .answer(AnswerSettings())),
      try rule("users", [.caller([.role(.user)])], .reject(.declined)),
      try rule("all", [], .answer(AnswerSettings())),
    ])
    let evaluation = policy.evaluate(stranger)
    #expect(evaluation.decision == .reject(.declined))
    #expect(evaluation.ruleName == "users")
    #expect(evaluation.traces.map(\.ruleName) == ["not me", "users"])
  }

  @Test(
    "callers match by user, group or role, never by anything else",
    arguments: [
      ("user:u1", true), ("user:u2", false), ("group:guards", true), ("group:guard", false), ("role:operator", true),
      ("role:user", false), ("user:guards", false), ("group:u1", false),
    ])
  func callers(pattern: String, matches: Bool) throws {
    let request = CallRequest(
      callerID: "u1", callerRole: .operator, callerGroups: ["staff", "guards"], isAudio: true, isVideo: true)
    let pattern = try #require(CallerPattern(pattern))
    let policy = CallPolicy(rules: [try rule("r", [.caller([.user("nobody"), pattern])], .answer(AnswerSettings()))])
    #expect((policy.evaluate(request).ruleName == "r") == matches)
  }

  @Test("what is no caller is refused", arguments: ["", "u1", "user:", "title:Gate", "role:boss", "User:u1", ":x"])
  func badCaller(text: String) { #expect(CallerPattern(text) == nil) }

  @Test("an unknown role of the hub has the least rights")
  func unknownRole() { #expect(CallerRole(hubName: "superuser") == .anonymous) }

  @Test("media match when at least those are asked for", arguments: [true, false], [true, false])
  func media(isAudio: Bool, isVideo: Bool) throws {
    let request = CallRequest(callerID: "u", callerRole: .user, isAudio: isAudio, isVideo: isVideo)
    let video = CallPolicy(rules: [try rule("v", [.media(audio: false, video: true)], .reject(.declined))])
    let both = CallPolicy(rules: [try rule("b", [.media(audio: true, video: true)], .reject(.declined))])
    #expect((video.evaluate(request).ruleName != nil) == isVideo)
    #expect((both.evaluate(request).ruleName != nil) == (isAudio && isVideo))
  }

  @Test("all conditions of a rule must hold")
  func conjunction() throws {
    let policy = CallPolicy(rules: [
      try rule("r", [.caller([.role(.user)]), .callUp(false), .within(metres: 100)], .answer(AnswerSettings()))
    ])
    var near = stranger
    near.distance = 100
    #expect(policy.evaluate(near).ruleName == "r")
    #expect(policy.evaluate(near, in: CallCircumstances(callsUp: 1)).ruleName == nil)
    near.distance = 100.1
    #expect(policy.evaluate(near).ruleName == nil)
    #expect(policy.evaluate(stranger).ruleName == nil)
  }

  @Test("a rule with nothing but distance, or with an empty list of callers, is refused")
  func refusedRules() {
    #expect(throws: PolicyRuleError.nothingButDistance) {
      try PolicyRule(name: "r", conditions: [.within(metres: 1)], decision: .reject(.declined))
    }
    #expect(throws: PolicyRuleError.noCallers) {
      try PolicyRule(name: "r", conditions: [.caller([])], decision: .answer(AnswerSettings()))
    }
  }

  @Test("recent calls count only within their span")
  func recentCalls() throws {
    let policy = CallPolicy(rules: [
      try rule("r", [.recentCalls(count: 2, span: .seconds(60))], .reject(.rateLimited))
    ])
    #expect(policy.longestMemory == .seconds(60))
    let few = CallCircumstances(recentCalls: [.seconds(59), .seconds(61)])
    #expect(policy.evaluate(stranger, in: few).decision == .reject(.notAllowed))
    let many = CallCircumstances(recentCalls: [.seconds(1), .seconds(60)])
    #expect(policy.evaluate(stranger, in: many).decision == .reject(.rateLimited))
  }

  @Test("an evaluation explains each rule in words")
  func explanation() throws {
    var settings = AnswerSettings()
    settings.delay = .milliseconds(1_500)
    settings.maxDuration = .seconds(5_400)
    settings.isRecorded = true
    let policy = CallPolicy(rules: [
      try rule("guards", [.caller([.group("guards"), .role(.operator)]), .callUp(true)], .reject(.busy)),
      try rule("near", [.media(audio: false, video: true), .within(metres: 2_000)], .answer(settings)),
      try rule("users", [.caller([.role(.user)])], .answer(settings)),
    ])
    #expect(
      policy.evaluate(stranger).description == """
        no match: "guards": caller is not group:guards or role:operator; no call is up
        no match: "near": unknown: the distance is unknown — does not match, because the rule admits
        matches: "users": caller is role:user
        decision: answer: after 1s500ms, publish audio and video, caller may talk, at most 1h30m, recorded, with a tone, operators may control mute/swap-camera/choose-camera/archive
        """)
    #expect(
      CallPolicy(rules: []).evaluate(stranger).description
        == "no rule matches: the default holds\ndecision: reject (not-allowed)")
  }
}
