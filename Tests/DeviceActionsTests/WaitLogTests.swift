import CallPolicy
import MediaCore
import Testing

@testable import DeviceActions

@Suite struct WaitLogTests {
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000)

  private func request(of user: String) -> ActionRequest {
    ActionRequest(action: "open-door", requester: .party(ActionParty(userID: user)))
  }

  @Test func whoGuessesOnDuringALockHasOneLine() {
    var log = WaitLog()
    var lines = 0
    for second in 0..<30 as Range<Int64> {
      let refusal = ActionRefusal.locked(wait: .seconds(30 - second))
      if log.isNew(refusal, of: request(of: "anna"), now: start + .seconds(second)) { lines += 1 }
    }
    #expect(lines == 1)
    let isNew = log.isNew(.locked(wait: .seconds(60)), of: request(of: "anna"), now: start + .seconds(30))
    #expect(isNew)
  }

  @Test func othersAndOtherReasonsHaveTheirOwn() {
    var log = WaitLog()
    let refusals: [(ActionRefusal, String)] = [
      (.locked(wait: .seconds(30)), "anna"), (.locked(wait: .seconds(30)), "bert"), (.wrongPIN, "anna"),
      (.wrongPIN, "anna"),
    ]
    for (refusal, user) in refusals {
      let isNew = log.isNew(refusal, of: request(of: user), now: start)
      #expect(isNew)
    }
  }
}
