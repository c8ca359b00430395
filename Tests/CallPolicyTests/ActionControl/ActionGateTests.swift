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
    _ gate: inout ActionGate, _ evaluation: ActionEvaluation, pin: String? = nil, at second: Int64
  ) -> ActionRefusal? {
    do throws(ActionRefusal) {
      try gate.admit(evaluation, pin: pin, now: Self.start + .seconds(second)) { _ in "4711" }
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
      try gate.admit(evaluation, pin: "1", now: Self.start) { _ in nil }
    }
    #expect(throws: ActionRefusal.wrongPIN) {
      try gate.admit(evaluation, pin: "1", now: Self.start) { _ in "" }
    }
  }
}
