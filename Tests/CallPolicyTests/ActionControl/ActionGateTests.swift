import CallPolicy
import MediaCore
import Testing

@Suite struct ActionGateTests {
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

  private static func evaluation(_ change: (inout ActionRule) -> Void = { _ in }) -> ActionEvaluation {
    var rule = ActionRule(name: "r", actions: ["door"])
    rule.requesters = [.local]
    change(&rule)
    return ActionPolicy(rules: [rule]).evaluate(ActionRequest(action: "door", requester: .local))
  }

  private func refusal(
    _ gate: inout ActionGate, _ evaluation: ActionEvaluation, by requester: ActionRequester = .local,
    pin: String? = nil, at second: Int64
  ) -> ActionRefusal? {
    do throws(ActionRefusal) {
      try gate.admit(evaluation, by: requester, pin: pin, now: Self.start + .seconds(second)) { _ in "4711" }
      return nil
    } catch {
      return error
    }
  }

  @Test func withoutARuleNothingIsDone() {
    var gate = ActionGate()
    let evaluation = ActionPolicy().evaluate(ActionRequest(action: "door", requester: .local))
    #expect(refusal(&gate, evaluation, at: 0) == .notAllowed)
  }

  @Test func aLimitEndsWhenTheOldestUseIsOldEnough() {
    var gate = ActionGate()
    let evaluation = Self.evaluation { $0.limit = .init(count: 2, span: .seconds(60)) }
    #expect(refusal(&gate, evaluation, at: 0) == nil)
    #expect(refusal(&gate, evaluation, at: 10) == nil)
    #expect(refusal(&gate, evaluation, at: 20) == .limit(wait: .seconds(40)))
    #expect(refusal(&gate, evaluation, at: 60) == nil)
    #expect(refusal(&gate, evaluation, at: 61) == .limit(wait: .seconds(9)))
  }

  @Test func wrongPINsLockLongerAndLonger() {
    var gate = ActionGate()
    let evaluation = Self.evaluation { $0.pin = .file(path: "/pin") }
    #expect(refusal(&gate, evaluation, at: 0) == .pinNeeded)
    for second in 1...3 { #expect(refusal(&gate, evaluation, pin: "1", at: Int64(second)) == .wrongPIN) }
    #expect(refusal(&gate, evaluation, pin: "4711", at: 4) == .locked(wait: .seconds(29)))
    #expect(refusal(&gate, evaluation, pin: "47111", at: 33) == .wrongPIN)
    #expect(refusal(&gate, evaluation, pin: "4711", at: 92) == .locked(wait: .seconds(1)))
    #expect(refusal(&gate, evaluation, pin: "4711", at: 93) == nil)
    #expect(refusal(&gate, evaluation, pin: "1", at: 94) == .wrongPIN)
    #expect(refusal(&gate, evaluation, pin: "4711", at: 95) == nil)
  }

  @Test func aLockEndsAfterAnHourAtTheLatest() {
    var gate = ActionGate()
    let evaluation = Self.evaluation { $0.pin = .file(path: "/pin") }
    var second: Int64 = 0
    for _ in 0..<40 {
      #expect(refusal(&gate, evaluation, pin: "0", at: second) == .wrongPIN)
      second += 3_601
    }
  }

  private static func user(_ name: String, _ role: CallerRole = .user) -> ActionRequester {
    .party(ActionParty(userID: name, role: role))
  }

  @Test func oneWhoIsLockedLocksNoOneElse() {
    var gate = ActionGate()
    let evaluation = Self.evaluation { $0.pin = .file(path: "/pin") }
    // Through all locks, and a day long as often as it may.
    var second: Int64 = 0
    while second < 86_400 {
      switch refusal(&gate, evaluation, by: Self.user("mallory"), pin: "0", at: second) {
      case .locked(let wait): second += wait.milliseconds / 1_000
      case let refusal: #expect(refusal == .wrongPIN)
      }
      #expect(refusal(&gate, evaluation, by: Self.user("new \(second)"), pin: "4711", at: second) == nil)
    }
    #expect(refusal(&gate, evaluation, by: Self.user("someone", .anonymous), pin: "4711", at: second) == nil)
  }

  @Test(arguments: [CallerRole.anonymous, .guest, .user])
  func otherNamesGiveFewMoreTries(role: CallerRole) {
    var gate = ActionGate()
    let evaluation = Self.evaluation { $0.pin = .file(path: "/pin") }
    #expect(refusal(&gate, evaluation, by: Self.user("resident"), pin: "4711", at: 0) == nil)
    var tries = 0
    for attempt in 0..<86_400
    where
      refusal(&gate, evaluation, by: Self.user("\(attempt)", role), pin: "0", at: Int64(attempt)) == .wrongPIN
    { tries += 1 }
    #expect(tries <= 12 + 48 && tries >= 12, "\(tries)")
    let isLocked: Bool
    switch refusal(&gate, evaluation, by: Self.user("another", role), pin: "4711", at: 86_399) {
    case .locked: isLocked = true
    case _: isLocked = false
    }
    #expect(isLocked)
    // Who has entered it before is not locked out by that.
    for pin in ["1", "2"] {
      #expect(refusal(&gate, evaluation, by: Self.user("resident"), pin: pin, at: 86_400) == .wrongPIN)
    }
    #expect(refusal(&gate, evaluation, by: Self.user("resident"), pin: "4711", at: 86_400) == nil)
  }

  @Test func whoKnewAnOldPINIsAnyoneFromTheThirdWrongOneOn() {
    var gate = ActionGate()
    let evaluation = Self.evaluation { $0.pin = .file(path: "/pin") }
    let former = (0..<20).map { Self.user("former \($0)") }
    for user in former { #expect(refusal(&gate, evaluation, by: user, pin: "4711", at: 0) == nil) }
    var tries = 0
    for second in 1..<86_400 {
      let user = former[second % former.count]
      if refusal(&gate, evaluation, by: user, pin: "0", at: Int64(second)) == .wrongPIN { tries += 1 }
    }
    #expect(tries <= 3 * former.count + 12 + 48, "\(tries)")
  }

  @Test func aWrongPINUsesUpNoLimit() {
    var gate = ActionGate()
    let evaluation = Self.evaluation {
      $0.pin = .file(path: "/pin")
      $0.limit = .init(count: 1, span: .seconds(60))
    }
    #expect(refusal(&gate, evaluation, pin: "1", at: 0) == .wrongPIN)
    #expect(refusal(&gate, evaluation, pin: "4711", at: 1) == nil)
  }

  @Test func aPINThatCannotBeReadAdmitsNobody() {
    var gate = ActionGate()
    let evaluation = Self.evaluation { $0.pin = .file(path: "/pin") }
    #expect(throws: ActionRefusal.pinUnreadable) {
      try gate.admit(evaluation, by: .local, pin: "1", now: Self.start) { _ in nil }
    }
    #expect(throws: ActionRefusal.wrongPIN) {
      try gate.admit(evaluation, by: .local, pin: "1", now: Self.start) { _ in "" }
    }
  }
}
