import CallPolicy
import MediaCore
import Testing

@Suite struct CallerBudgetTests {
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  @Test func someAtOnceAndThenOneEachSoOften() {
    var budget = CallerBudget(burst: 3, interval: .seconds(2))
    #expect((0..<3).allSatisfy { _ in budget.admit("anna", now: start) == .admitted })
    #expect(budget.admit("anna", now: start) == .refused(isFirst: true))
    #expect(budget.admit("anna", now: start) == .refused(isFirst: false))
    #expect(budget.admit("bert", now: start) == .admitted)
    #expect(budget.admit("anna", now: start + .seconds(2)) == .admitted)
    #expect(budget.admit("anna", now: start + .seconds(2)) == .refused(isFirst: true))
    #expect((0..<3).allSatisfy { _ in budget.admit("anna", now: start + .seconds(60)) == .admitted })
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
    #expect(budget.admit("new", now: start) == .refused(isFirst: false))
    #expect(budget.admit("new", now: start + .seconds(3)) == .admitted)
  }
}
