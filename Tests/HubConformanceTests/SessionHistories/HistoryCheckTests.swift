import HubConformance
import Testing

/// Histories that are right, and the same forged so that each lacks or breaks one thing.
struct HistoryCheckTests {
  private static let rules = HistoryRules(unansweredTimeout: 1_000, endedMemory: 5_000, tolerance: 10)
  private let check = HistoryCheck(rules)

  /// Placed, rung, answered, hung up by the caller; each request takes 10, each event 5.
  private static var good: SessionHistory {
    SessionHistory(
      id: "good",
      operations: [
        request(.place, .caller, at: 0), request(.ring, .receiver, at: 20),
        request(.answer, .receiver, mark: "one", at: 40),
        request(.answer, .receiver, mark: "two", at: 42, .answeredElsewhere), request(.hangUp, .caller, at: 80),
        request(.probe, .receiver, at: 100, .ended),
      ],
      received: [
        ReceivedEvent(.incoming, by: .receiver, receivedAt: 15), ReceivedEvent(.ringing, by: .caller, receivedAt: 35),
        ReceivedEvent(.answered, by: .caller, word: "one", receivedAt: 55),
        ReceivedEvent(.taken, by: .receiver, client: 1, word: "answered", receivedAt: 55),
        ReceivedEvent(.ended, by: .receiver, word: "hangup", receivedAt: 95),
      ])
  }

  private static func request(
    _ action: SessionOperation.Action, _ party: HistoryParty, mark: String? = nil, at time: Int64,
    _ outcome: SessionOperation.Outcome = .done
  ) -> SessionOperation {
    SessionOperation(action, by: party, mark: mark, invokedAt: time, completedAt: time + 10, outcome: outcome)
  }

  private func verdict(_ forge: (inout SessionHistory) -> Void) -> String {
    var history = Self.good
    forge(&history)
    return check.violations(in: history).joined(separator: "\n")
  }

  @Test func goodHistoriesPass() {
    #expect(verdict { _ in } == "")
  }

  @Test func twoAnswersAreFound() {
    let verdict = verdict { $0.operations[3].outcome = .done }
    #expect(verdict.contains("answered more than once: one, two"))
    #expect(verdict.contains("no order"))
  }

  @Test func anAnswerHeardTwiceIsFound() {
    #expect(
      verdict { $0.received.append(ReceivedEvent(.answered, by: .caller, word: "two", receivedAt: 60)) }
        .contains("answered more than once"))
  }

  @Test func anAnswerAfterTheEndIsFound() {
    #expect(
      verdict { $0.operations.append(Self.request(.answer, .receiver, mark: "one", at: 120)) }
        .contains("no order"))
  }

  @Test func aStateThatGoesBackIsFound() {
    #expect(verdict { $0.operations.append(Self.request(.ring, .receiver, at: 60)) }.contains("no order"))
    #expect(verdict { $0.operations[5].outcome = .done }.contains("no order"))
    #expect(verdict { $0.operations[5].outcome = .unknownSession }.contains("no order"))
  }

  /// The order of time holds: one answer had been refused before the other was given.
  @Test func anAnswerFromTheFutureIsFound() {
    #expect(
      verdict { history in
        history.operations[3].invokedAt = 21
        history.operations[3].completedAt = 31
      }.contains("no order"))
  }

  @Test func requestsAtTheSameTimeMayHaveAnyOrder() {
    #expect(
      verdict { history in
        history.operations[3].invokedAt = 30
        history.operations[3].completedAt = 70
      } == "")
  }

  @Test func whatIsNotKnownMayHaveHappenedOrNot() {
    #expect(
      verdict { history in
        history.operations[4].outcome = .unknown
        history.operations[4].completedAt = nil
      } == "")
    #expect(
      verdict { history in
        history.operations[4].outcome = .unknown
        history.operations[4].completedAt = nil
        history.operations[5].outcome = .done
        history.received.removeLast()
        history.operations.removeLast()
        history.operations.append(Self.request(.reject, .receiver, at: 100, .wrongState))
      } == "")
  }

  /// Nobody knows whether it was taken, but the caller heard of it: then nothing else may have been.
  @Test func whatWasHeardHasHappened() {
    #expect(
      verdict { history in
        history.operations[2].outcome = .unknown
        history.operations[2].completedAt = nil
      } == "")
    #expect(
      verdict { history in
        history.operations[2].outcome = .unknown
        history.operations[2].completedAt = nil
        history.operations.append(Self.request(.reject, .receiver, at: 60))
      }.contains("no order"))
  }

  @Test func eventsWithoutCauseAreFound() {
    #expect(
      verdict { $0.received.append(ReceivedEvent(.ended, by: .receiver, client: 2, word: "glare", receivedAt: 99)) }
        .contains("nothing explains call.ended glare"))
    #expect(verdict { $0.received[2].receivedAt = 38 }.contains("nothing explains call.answered one"))
    #expect(
      verdict {
        $0.received.append(ReceivedEvent(.ended, by: .receiver, client: 2, word: "unanswered", receivedAt: 99))
      }
      .contains("nothing explains call.ended unanswered"))
  }

  @Test func eventsOutOfOrderAreFound() {
    #expect(verdict { $0.received[1].receivedAt = 58 }.contains("out of order"))
  }

  // MARK: Who has to be told

  private static var unanswered: SessionHistory {
    SessionHistory(
      id: "unanswered", operations: [request(.place, .caller, at: 0)],
      received: [
        ReceivedEvent(.incoming, by: .receiver, receivedAt: 15),
        ReceivedEvent(.ended, by: .caller, word: "unanswered", receivedAt: 1_020),
        ReceivedEvent(.ended, by: .receiver, word: "unanswered", receivedAt: 1_020),
      ])
  }

  @Test func anUnansweredCallEnds() {
    #expect(check.violations(in: Self.unanswered) == [])
  }

  @Test func aCallerWhoIsNotToldIsFound() {
    var history = Self.unanswered
    history.received.removeAll { $0.party == .caller }
    #expect(check.violations(in: history) == ["unanswered: the caller was never notified of the outcome"])
    history.operations.append(Self.request(.probe, .caller, at: 1_500, .ended))
    #expect(check.violations(in: history) == [])
  }

  @Test func aReceiverWhoIsNotToldIsFound() {
    var history = Self.unanswered
    history.received.removeLast()
    #expect(check.violations(in: history) == ["unanswered: the receiver was never notified of the call's end"])
  }

  @Test func anEndBeforeItsTimeIsFound() {
    var history = Self.unanswered
    history.received[1].receivedAt = 500
    #expect(check.violations(in: history).joined().contains("no order"))
  }

  @Test func whatFaultsExplainPasses() {
    var history = Self.good
    history.operations[5] = Self.request(.probe, .receiver, at: 100, .unknownSession)
    history.disturbances = [Disturbance(.contentsLost, from: 90)]
    #expect(check.violations(in: history) == [])
    history.disturbances = [Disturbance(.contentsLost, from: 200)]
    #expect(check.violations(in: history).joined().contains("no order"))
    history = Self.unanswered
    history.received[1] = ReceivedEvent(.ended, by: .caller, word: "vanished", receivedAt: 400)
    history.received[2] = ReceivedEvent(.ended, by: .receiver, word: "vanished", receivedAt: 400)
    #expect(check.violations(in: history).joined().contains("nothing explains call.ended vanished"))
    history.disturbances = [Disturbance(.partyGone, from: 100)]
    #expect(check.violations(in: history) == [])
  }
}
