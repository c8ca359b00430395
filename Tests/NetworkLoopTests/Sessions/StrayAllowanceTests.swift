import MediaCore
import Testing

@testable import NetworkLoop

@Suite struct StrayAllowanceTests {
  private let start = MonotonicInstant(nanoseconds: 5_000_000_000)

  /// Has everything fail that is admitted at one instant; returns how much that is.
  private func failures(_ allowance: inout StrayAllowance, of attempts: Int, at now: MonotonicInstant) -> Int {
    (0..<attempts).count { _ in
      let isAdmitted = allowance.admits(now: now)
      if isAdmitted { allowance.noteFailure() }
      return isAdmitted
    }
  }

  @Test func fiftyASecondMayFail() {
    var allowance = StrayAllowance()
    #expect(failures(&allowance, of: 10_000, at: start) == 50)
    #expect(failures(&allowance, of: 10, at: start + .milliseconds(999)) == 0)
    #expect(failures(&allowance, of: 10_000, at: start + .seconds(1)) == 50)
  }

  @Test func whatProvesAuthenticCostsNothing() {
    var allowance = StrayAllowance()
    let admitted = (0..<1_000).count { _ in allowance.admits(now: start) }
    #expect(admitted == 1_000)
    #expect(failures(&allowance, of: 100, at: start) == 50)
  }

  @Test func whatIsLeftOfASecondIsNotSaved() {
    var allowance = StrayAllowance()
    #expect(failures(&allowance, of: 1, at: start) == 1)
    #expect(failures(&allowance, of: 1_000, at: start + .seconds(600)) == 50)
    #expect(failures(&allowance, of: 1_000, at: start + .milliseconds(600_999)) == 0)
  }

  @Test func aSecondBeginsWithItsFirstAttempt() {
    var allowance = StrayAllowance()
    #expect(failures(&allowance, of: 25, at: start + .milliseconds(700)) == 25)
    #expect(failures(&allowance, of: 100, at: start + .milliseconds(1_600)) == 25)
    #expect(failures(&allowance, of: 100, at: start + .milliseconds(1_699)) == 0)
    #expect(failures(&allowance, of: 100, at: start + .milliseconds(1_700)) == 50)
  }
}
