import Testing

@testable import HubCore

struct LoginThrottleTests {
  private let start = Instant.now
  private var throttle = LoginThrottle(limits: Self.limits)

  private static var limits: HubLimits {
    var limits = HubLimits()
    limits.loginFailuresPerAddress = 3
    limits.loginFailuresPerTitle = 6
    return limits
  }

  private func attempt(_ address: String, _ title: String = "demo", client: String? = nil) -> LoginAttempt {
    LoginAttempt(address: address, titleKey: title, knownClient: client)
  }

  private mutating func isAdmitted(_ attempt: LoginAttempt, after seconds: Int = 0) -> Bool {
    (try? throttle.admit(attempt, now: start + .seconds(seconds))) != nil
  }

  @Test mutating func failuresCountByAddress() {
    for title in ["a", "b", "c"] { #expect(isAdmitted(attempt("1", title))) }
    #expect(!isAdmitted(attempt("1", "d")))
    #expect(isAdmitted(attempt("2", "d")))
    #expect(isAdmitted(attempt("1", "d"), after: 20))
    #expect(!isAdmitted(attempt("1", "d"), after: 20))
  }

  @Test mutating func oneAddressDoesNotLockATitle() {
    for _ in 0..<100 { _ = isAdmitted(attempt("1")) }
    for _ in 0..<3 { #expect(isAdmitted(attempt("2"))) }
  }

  @Test mutating func manyAddressesLockATitleForStrangersAlone() {
    for address in 0..<6 { #expect(isAdmitted(attempt("\(address)"))) }
    #expect(!isAdmitted(attempt("7")))
    #expect(isAdmitted(attempt("7", "other")))
    #expect(isAdmitted(attempt("1", client: "mine")))
  }

  /// What the title refused is no failure of the address.
  @Test mutating func aLockedTitleCostsTheAddressNothing() {
    for address in 0..<6 { #expect(isAdmitted(attempt("\(address)"))) }
    for _ in 0..<10 { #expect(!isAdmitted(attempt("7"))) }
    for title in ["a", "b", "c"] { #expect(isAdmitted(attempt("7", title))) }
  }

  @Test mutating func aKnownClientIsKeptOutByItsOwnFailuresAlone() {
    for _ in 0..<10 { _ = isAdmitted(attempt("1")) }
    for _ in 0..<3 { #expect(isAdmitted(attempt("1", client: "mine"))) }
    #expect(!isAdmitted(attempt("1", client: "mine")))
    #expect(isAdmitted(attempt("1", client: "other")))
  }

  @Test mutating func successesDoNotCount() {
    for _ in 0..<100 {
      #expect(isAdmitted(attempt("1")))
      throttle.forgive(attempt("1"), now: start)
    }
    #expect(throttle.keyCount == 0)
  }

  /// Guesses that are checked at the same time count before their outcome is known.
  @Test mutating func attemptsUnderWayCount() {
    for _ in 0..<3 { #expect(isAdmitted(attempt("1"))) }
    #expect(!isAdmitted(attempt("1")))
    throttle.forgive(attempt("1"), now: start)
    #expect(isAdmitted(attempt("1")))
  }

  @Test mutating func whatIsOverIsForgotten() {
    for address in 0..<1_000 { _ = isAdmitted(attempt("\(address)", "title \(address)")) }
    #expect(throttle.keyCount == 2_000)
    #expect(isAdmitted(attempt("1"), after: 60))
    #expect(throttle.keyCount == 2)
  }
}
