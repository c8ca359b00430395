import CallPolicy
import Testing

@Suite("Who may use actions") struct ActionPolicyTests {
  private static func rule(_ name: String, _ change: (inout ActionRule) -> Void) -> ActionRule {
    var rule = ActionRule(name: name, actions: ["door"])
    change(&rule)
    return rule
  }

  private static func request(
    _ userID: String, role: CallerRole? = .user, groups: [String]? = [], isInCall: Bool = true
  ) -> ActionRequest {
    ActionRequest(
      action: "door", requester: .party(ActionParty(userID: userID, role: role, groups: groups)), isInCall: isInCall)
  }

  @Test func theFirstRuleThatMatchesDecides() throws {
    let policy = ActionPolicy(rules: [
      Self.rule("not u1") {
        $0.requesters = [.caller(.user("u1"))]
        $0.allows = false
      },
      Self.rule("users") { $0.requesters = [.caller(.role(.user))] },
    ])
    #expect(policy.evaluate(Self.request("u1")).permittingRule == nil)
    #expect(policy.evaluate(Self.request("u2")).permittingRule?.name == "users")
    #expect(policy.evaluate(ActionRequest(action: "door", requester: .local)).rule == nil)
    #expect(policy.evaluate(ActionRequest(action: "light", requester: .local)).rule == nil)
  }

  @Test func aButtonIsItself() {
    let policy = ActionPolicy(rules: [Self.rule("exit") { $0.requesters = [.button(name: "Exit")] }])
    for (requester, isAllowed) in [
      (ActionRequester.button(name: "Exit"), true), (.button(name: "Bell"), false), (.local, false),
      (.party(ActionParty(userID: "Exit")), false),
    ] {
      let evaluation = policy.evaluate(ActionRequest(action: "door", requester: requester))
      #expect((evaluation.permittingRule != nil) == isAllowed, "\(requester)")
    }
  }

  @Test func anEventIsItself() {
    let policy = ActionPolicy(rules: [Self.rule("light") { $0.requesters = [.event(source: "yard")] }])
    for (requester, isAllowed) in [
      (ActionRequester.event(source: "yard"), true), (.event(source: "glass"), false), (.button(name: "yard"), false),
      (.local, false), (.party(ActionParty(userID: "yard")), false),
    ] {
      let evaluation = policy.evaluate(ActionRequest(action: "door", requester: requester))
      #expect((evaluation.permittingRule != nil) == isAllowed, "\(requester)")
    }
    #expect(ActionRequesterPattern("event:yard") == .event(source: "yard"))
    #expect(ActionRequesterPattern("event:") == nil)
  }

  @Test func aRuleForCallsNeedsOne() {
    let policy = ActionPolicy(rules: [
      Self.rule("in calls") {
        $0.requesters = [.caller(.user("u1"))]
        $0.needsCall = true
      }
    ])
    #expect(policy.evaluate(Self.request("u1")).permittingRule != nil)
    #expect(policy.evaluate(Self.request("u1", isInCall: false)).permittingRule == nil)
  }

  @Test func whatTheHubDoesNotTellAdmitsNobody() {
    let guards = ActionRequesterPattern.caller(.group("guards"))
    let unknown = Self.request("u1", role: nil, groups: nil)
    #expect(ActionPolicy(rules: [Self.rule("a") { $0.requesters = [guards] }]).evaluate(unknown).rule == nil)
    let refusing = Self.rule("a") {
      $0.requesters = [guards]
      $0.allows = false
    }
    let open = Self.rule("b") { $0.requesters = [.caller(.user("u1"))] }
    #expect(ActionPolicy(rules: [refusing, open]).evaluate(unknown).rule?.name == "a")
  }

  @Test func aClockThatIsNotSynchronisedAdmitsNobody() throws {
    let hours = try #require(WeeklyHours("daily 00:00-24:00"))
    let policy = ActionPolicy(rules: [
      Self.rule("always") {
        $0.requesters = [.local]
        $0.hours = [hours]
      }
    ])
    let request = ActionRequest(action: "door", requester: .local)
    var time = LocalTime(weekday: .monday, minuteOfDay: 60, isClockTrusted: true)
    #expect(policy.evaluate(request, localTimes: [.system: time]).permittingRule != nil)
    time.isClockTrusted = false
    let evaluation = policy.evaluate(request, localTimes: [.system: time])
    #expect(evaluation.permittingRule == nil)
    #expect(evaluation.lines.contains { $0.contains("not synchronised") })
    #expect(policy.evaluate(request).permittingRule == nil)
  }
}
