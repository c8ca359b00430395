import MediaCore
import Signalling
import TestSupport
import Testing

@testable import CallEngine

@Suite("Hunts: several are called until one answers")
struct CallHuntTests {
  private static let parties = ["anna", "bert", "cleo"].map { CallParty(userID: $0, userTitle: $0) }
  private let start = MonotonicInstant(nanoseconds: 0)

  private func at(_ seconds: Int64) -> MonotonicInstant { start + .seconds(seconds) }

  private func plan(_ order: HuntPlan.Order) -> HuntPlan {
    HuntPlan(name: "Door", parties: Self.parties, order: order, ringFor: .seconds(20))
  }

  /// A hunt whose first calls are placed, named after whom they are to.
  private func hunt(_ order: HuntPlan.Order) -> CallHunt {
    var (hunt, actions) = CallHunt.start(plan(order), now: start)
    place(actions, &hunt, at: 0)
    return hunt
  }

  private func place(_ actions: [CallHunt.Action], _ hunt: inout CallHunt, at second: Int64) {
    for case .place(let party) in actions {
      #expect(hunt.placed(party, as: SessionID(party.userID)!, now: at(second)) == [])
    }
  }

  @Test func inTurnOneIsCalledAfterTheOther() {
    var hunt = hunt(.inTurn)
    #expect(hunt.snapshot.state == .calling([Self.parties[0]]))
    #expect(hunt.nextDeadline == at(20))
    #expect(hunt.tick(now: at(19)) == [])
    var actions = hunt.tick(now: at(20))
    #expect(actions == [.end("anna", .unanswered), .place(Self.parties[1])])
    place(actions, &hunt, at: 20)
    // What the engine says of the call that was ended does not count twice.
    #expect(hunt.ended("anna", reason: "unanswered") == [])
    actions = hunt.tick(now: at(40))
    #expect(actions == [.end("bert", .unanswered), .place(Self.parties[2])])
    place(actions, &hunt, at: 40)
    #expect(hunt.tick(now: at(60)) == [.end("cleo", .unanswered)])
    let misses = Self.parties.map { CallHunt.Miss(userID: $0.userID, reason: "unanswered") }
    #expect(hunt.snapshot.state == .ended(.unanswered(misses)))
    #expect(hunt.nextDeadline == nil)
  }

  @Test(arguments: ["busy", "declined", "receiver-offline", "vanished", "hub-unreachable"])
  func whoCannotBeReachedIsPassedOverAtOnce(reason: String) {
    var hunt = hunt(.inTurn)
    #expect(hunt.ended("anna", reason: reason) == [.place(Self.parties[1])])
    #expect(hunt.placingFailed(Self.parties[1], reason: "not-allowed") == [.place(Self.parties[2])])
    place([.place(Self.parties[2])], &hunt, at: 1)
    #expect(hunt.answered("cleo") == [])
    #expect(hunt.snapshot.state == .answered(Self.parties[2], "cleo"))
    #expect(hunt.nextDeadline == nil)
    #expect(hunt.ended("cleo", reason: "hangup") == [])
    #expect(hunt.snapshot.state == .ended(.completed))
  }

  @Test func ofAllTheFirstAnswerWinsAndTheOthersHearOfIt() {
    var hunt = hunt(.allAtOnce)
    #expect(hunt.snapshot.state == .calling(Self.parties))
    #expect(hunt.ended("cleo", reason: "busy") == [])
    #expect(hunt.answered("bert") == [.end("anna", .answeredElsewhere)])
    // Too late by the time of the way.
    #expect(hunt.answered("anna") == [])
    #expect(hunt.tick(now: at(100)) == [])
    #expect(hunt.snapshot.state == .answered(Self.parties[1], "bert"))
  }

  @Test func anAnswerWithoutMediaIsFollowedByTheNext() {
    var hunt = hunt(.inTurn)
    #expect(hunt.answered("anna") == [])
    #expect(hunt.ended("anna", reason: "connection-lost") == [.place(Self.parties[1])])
    place([.place(Self.parties[1])], &hunt, at: 30)
    #expect(hunt.answered("bert") == [])
    #expect(hunt.connected("bert") == [])
    // What was connected and breaks was a visit all the same.
    #expect(hunt.ended("bert", reason: "connection-lost") == [])
    #expect(hunt.snapshot.state == .ended(.completed))
  }

  @Test func anAnswerThatIsHungUpBeforeMediaFlowsEndsTheHunt() {
    var hunt = hunt(.inTurn)
    _ = hunt.answered("anna")
    #expect(hunt.ended("anna", reason: "hangup") == [])
    #expect(hunt.snapshot.state == .ended(.completed))
  }

  @Test func ofAllNobodyIsLeftWhereAnAnswerCarriesNoMedia() {
    var hunt = hunt(.allAtOnce)
    #expect(hunt.answered("bert") == [.end("anna", .answeredElsewhere), .end("cleo", .answeredElsewhere)])
    #expect(hunt.ended("bert", reason: "connection-lost") == [])
    #expect(hunt.snapshot.state == .ended(.unanswered([.init(userID: "bert", reason: "connection-lost")])))
  }

  @Test func allWhoDoNotAnswerAreGivenUpTogether() {
    var hunt = hunt(.allAtOnce)
    #expect(
      hunt.tick(now: at(20)) == [.end("anna", .unanswered), .end("bert", .unanswered), .end("cleo", .unanswered)])
    #expect(hunt.isEnded)
  }

  @Test func aHuntThatIsGivenUpEndsItsCalls() {
    var waiting = hunt(.allAtOnce)
    #expect(waiting.cancel() == [.end("anna", .hangup), .end("bert", .hangup), .end("cleo", .hangup)])
    #expect(waiting.snapshot.state == .ended(.cancelled))
    #expect(waiting.cancel() == [])
    var answered = hunt(.inTurn)
    _ = answered.answered("anna")
    #expect(answered.cancel() == [.end("anna", .hangup)])
    #expect(answered.isEnded)
  }

  @Test func hangingUpACallThatRingsGivesTheHuntUp() {
    var hunt = hunt(.allAtOnce)
    #expect(hunt.ended("bert", reason: "hangup") == [.end("anna", .hangup), .end("cleo", .hangup)])
    #expect(hunt.snapshot.state == .ended(.cancelled))
  }

  @Test func aCallThatIsPlacedAfterTheEndIsEnded() {
    var (hunt, _) = CallHunt.start(plan(.inTurn), now: start)
    _ = hunt.cancel()
    #expect(hunt.placed(Self.parties[0], as: "anna", now: start) == [.end("anna", .hangup)])
  }

  @Test func plansHaveBounds() {
    func isValid(_ change: (inout HuntPlan) -> Void) -> Bool {
      var plan = plan(.inTurn)
      change(&plan)
      return plan.isValid
    }
    #expect(isValid { _ in })
    #expect(!isValid { $0.parties = [] })
    #expect(!isValid { $0.parties += [$0.parties[0]] })
    #expect(!isValid { $0.ringFor = .milliseconds(999) })
    #expect(!isValid { $0.ringFor = .milliseconds(60_001) })
    #expect(!isValid { $0.parties = (0..<17).map { CallParty(userID: "\($0)", userTitle: "") } })
  }

  /// Whatever happens in whatever order: each is called once at most, every call that was placed is ended or answered, and
  /// the hunt ends.
  @Test(arguments: UInt64(0)..<200)
  func anythingMayHappen(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var time = start
    var (hunt, queue) = CallHunt.start(plan(seed.isMultiple(of: 2) ? .inTurn : .allAtOnce), now: time)
    var placed: [String] = []
    var open: Set<SessionID> = []
    var steps = 0
    while !hunt.isEnded || !queue.isEmpty {
      steps += 1
      guard steps < 1_000 else {
        Issue.record("the hunt does not end")
        return
      }
      if let action = queue.popLast() {
        switch action {
        case .place(let party) where Bool.random(using: &random):
          placed.append(party.userID)
          open.insert(SessionID(party.userID)!)
          queue += hunt.placed(party, as: SessionID(party.userID)!, now: time)
        case .place(let party): queue += hunt.placingFailed(party, reason: "not-allowed")
        case .end(let sessionID, _): #expect(open.remove(sessionID) != nil)
        }
        continue
      }
      time = time + .seconds(Int64.random(in: 0...15, using: &random))
      let any: SessionID = ["anna", "bert", "cleo", "dora"].randomElement(using: &random)!
      switch Int.random(in: 0..<7, using: &random) {
      case 0: queue += hunt.answered(any)
      case 6 where open.contains(any): queue += hunt.connected(any)
      case 1 where open.contains(any):
        open.remove(any)
        queue += hunt.ended(any, reason: ["busy", "hangup", "error"].randomElement(using: &random)!)
      case 2 where Int.random(in: 0..<8, using: &random) == 0: queue += hunt.cancel()
      default: queue += hunt.tick(now: time)
      }
    }
    #expect(open.isEmpty)
    #expect(Set(placed).count == placed.count)
  }
}
