import MediaCore
import Testing

@testable import CallPolicy

@Suite struct CallerBudgetTests {
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  private func refusals(_ budget: inout CallerBudget, at instants: [TimeSpan]) -> [CallerBudget.Refusal] {
    instants.compactMap {
      if case .refused(let refusal) = budget.admit("anna", now: start + $0) { refusal } else { nil }
    }
  }

  @Test func someAtOnceAndThenOneEachSoOften() {
    var budget = CallerBudget(burst: 3, interval: .seconds(2))
    #expect((0..<3).allSatisfy { _ in budget.admit("anna", now: start) == .admitted })
    let expected = CallerBudget.Refusal(isFirst: true, isAnswered: true, wait: .seconds(2))
    #expect(budget.admit("anna", now: start) == .refused(expected))
    #expect(budget.admit("bert", now: start) == .admitted)
    #expect(budget.admit("anna", now: start + .seconds(2)) == .admitted)
    #expect((0..<3).allSatisfy { _ in budget.admit("anna", now: start + .seconds(60)) == .admitted })
  }

  @Test func refusalsAreSentOnceAnInterval() {
    var budget = CallerBudget(burst: 1, interval: .seconds(1))
    let hammering = (0..<100).map { TimeSpan.milliseconds(50 * $0) }
    #expect(refusals(&budget, at: hammering).count { $0.isAnswered } == 5)
    #expect(refusals(&budget, at: [.seconds(9), .seconds(9)]).map(\.isAnswered) == [true])
  }

  @Test func oneEpisodeOfRefusalsHasOneFirst() {
    var budget = CallerBudget(burst: 2, interval: .seconds(1))
    let hammering = (0..<100).map { TimeSpan.milliseconds(50 * $0) }
    #expect(refusals(&budget, at: hammering).count { $0.isFirst } == 1)
    #expect(refusals(&budget, at: [.seconds(20), .seconds(20), .seconds(20)]).map(\.isFirst) == [true])
  }

  @Test func fiveHundredRequestsAreHardlyAny() {
    var budget = CallerBudget()
    var admitted = 0
    for request in 0..<500 where budget.admit("anna", now: start + .milliseconds(50 * Int64(request))) == .admitted {
      admitted += 1
    }
    #expect(admitted <= 16 + 25)
  }

  @Test func memoryIsBoundedAndWhoDoesNotFitIsRefused() {
    var budget = CallerBudget(burst: 1, interval: .seconds(2), limit: 4)
    for caller in 0..<4 { #expect(budget.admit("\(caller)", now: start) == .admitted) }
    let silent = CallerBudget.Refusal(isFirst: false, isAnswered: false, wait: .seconds(2))
    #expect(budget.admit("new", now: start) == .refused(silent))
    #expect(budget.admit("new", now: start + .seconds(3)) == .admitted)
  }
}
