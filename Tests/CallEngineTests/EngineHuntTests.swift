import CallPolicy
import HubClient
import MediaCore
import MediaPlaneAPI
import Signalling
import Testing

@testable import CallEngine

@Suite("Hunts of the engine", .timeLimit(.minutes(1)))
struct EngineHuntTests {
  private func bench(_ change: (inout OutgoingSettings) -> Void = { _ in }) async throws -> EngineBench {
    var outgoing = OutgoingSettings()
    change(&outgoing)
    let bench = try EngineBench(policy: CallPolicy(rules: [], outgoing: outgoing))
    await bench.goOnline()
    return bench
  }

  private static let ring = RingSettings(
    timeout: .seconds(60), then: .reject(.unanswered), answer: AnswerSettings())

  private func plan(_ order: HuntPlan.Order = .inTurn, _ users: [String] = ["anna", "bert"]) -> HuntPlan {
    HuntPlan(
      name: "Door", parties: users.map { CallParty(userID: $0, userTitle: $0) }, order: order, ringFor: .seconds(20))
  }

  private func state(_ bench: EngineBench) async -> HuntSnapshot.State? {
    await bench.engine.status().hunts.first?.state
  }

  private func answer(_ bench: EngineBench, _ sessionID: SessionID, by userID: String) async {
    await bench.engine.handle(
      .callAnswered(
        DescriptionEvent(
          sessionID: sessionID, sdp: "answer", token: EngineBench.token(of: userID, in: sessionID))))
    await bench.engine.keyFetch?.value
  }

  @Test func whoDoesNotAnswerIsFollowedByTheNext() async throws {
    let bench = try await bench()
    try await bench.engine.hunt(plan())
    await bench.log.wait(for: "media servers s 1")
    await bench.advance(.milliseconds(19_999))
    #expect(await bench.engine.currentCalls.map(\.party.userID) == ["anna"])
    await bench.advance(.milliseconds(1))
    await bench.log.wait(for: "hub end s unanswered")
    await bench.log.wait(for: "media servers s2 1")
    #expect(await bench.engine.currentCalls.map(\.party.userID) == ["bert"])
    await bench.advance(.seconds(20))
    await bench.log.wait(for: "hub end s2 unanswered")
    let misses = ["anna", "bert"].map { CallHunt.Miss(userID: $0, reason: "unanswered") }
    #expect(await state(bench) == .ended(.unanswered(misses)))
  }

  @Test func whoIsBusyIsFollowedAtOnceAndWhoAnswersHasTheCall() async throws {
    let bench = try await bench()
    try await bench.engine.hunt(plan())
    await bench.log.wait(for: "media servers s 1")
    await bench.engine.handle(.callRejected(SessionEndedEvent(sessionID: "s", reason: "busy")))
    await bench.log.wait(for: "media servers s2 1")
    await answer(bench, "s2", by: "bert")
    await bench.log.wait(for: "media accept s2 answer")
    #expect(await state(bench) == .answered(CallParty(userID: "bert", userTitle: "bert"), "s2"))
    await bench.engine.handle(.connected(sessionID: "s2"))
    await bench.advance(.seconds(100))
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
    await bench.hubEnds("s2")
    #expect(await state(bench) == .ended(.completed))
  }

  @Test func ofAllWhoRingTheOthersAreToldThatOneHasAnswered() async throws {
    let bench = try await bench()
    try await bench.engine.hunt(plan(.allAtOnce))
    await bench.log.wait(for: "media servers s 1")
    await bench.log.wait(for: "media servers s2 1")
    await answer(bench, "s2", by: "bert")
    await bench.log.wait(for: "hub end s answered-elsewhere")
    #expect(await bench.engine.currentCalls.map(\.sessionID) == ["s2"])
  }

  @Test func aPressWhileAHuntRunsDoesNothing() async throws {
    let bench = try await bench()
    try await bench.engine.hunt(plan())
    await #expect(throws: EngineError.huntRuns) { try await bench.engine.hunt(plan()) }
    await bench.log.wait(for: "media servers s 1")
    await answer(bench, "s", by: "anna")
    await #expect(throws: EngineError.huntRuns) { try await bench.engine.hunt(plan()) }
    try await bench.engine.hangUpAll()
    await bench.log.wait(for: "hub end s hangup")
    try await bench.engine.hunt(plan())
    await bench.log.wait(for: "media servers s2 1")
  }

  @Test func watchersAreToldEachChangeOnce() async throws {
    let bench = try await bench()
    let events = bench.engine.events()
    try await bench.engine.hunt(plan())
    await bench.log.wait(for: "media servers s 1")
    await bench.engine.handle(.callRejected(SessionEndedEvent(sessionID: "s", reason: "busy")))
    await bench.log.wait(for: "media servers s2 1")
    try await bench.engine.hangUp("s2")
    var texts: [String] = []
    for await event in events {
      guard case .hunt(let hunt) = event else { continue }
      texts.append(hunt.text)
      if case .ended = hunt.state { break }
    }
    #expect(texts == ["calling anna", "calling bert", "given up"])
  }

  @Test func whomThePolicyForbidsIsPassedOver() async throws {
    let bench = try await bench { $0.receivers = .users(["bert"]) }
    try await bench.engine.hunt(plan())
    await bench.log.wait(for: "hub place s bert offer-s")
    #expect(await bench.engine.currentCalls.map(\.party.userID) == ["bert"])
  }

  @Test func aHuntOfWhichNobodyMayBeCalledEndsAtOnce() async throws {
    let bench = try await bench { $0.receivers = .noOne }
    try await bench.engine.hunt(plan())
    let misses = ["anna", "bert"].map { CallHunt.Miss(userID: $0, reason: "not-allowed") }
    #expect(await state(bench) == .ended(.unanswered(misses)))
  }

  @Test func withoutTheHubThereIsNoHunt() async throws {
    let bench = try EngineBench(policy: CallPolicy(rules: []))
    await #expect(throws: EngineError.notConnected) { try await bench.engine.hunt(plan()) }
  }

  @Test func hangingUpEndsHuntsAndCallsElseRejectsWhatRings() async throws {
    let bench = try EngineBench(.ring(Self.ring))
    await #expect(throws: EngineError.noSuchCall) { try await bench.engine.hangUpAll() }
    await bench.goOnline()
    await bench.call("t", callerID: "cleo")
    try await bench.engine.hunt(plan(.allAtOnce))
    await bench.log.wait(for: "media servers s 1")
    await bench.log.wait(for: "media servers s2 1")
    try await bench.engine.hangUpAll()
    await bench.log.wait(for: "hub end s hangup")
    await bench.log.wait(for: "hub end s2 hangup")
    #expect(await state(bench) == .ended(.cancelled))
    #expect(await bench.engine.currentCalls.map(\.sessionID) == ["t"])
    try await bench.engine.hangUpAll()
    await bench.log.wait(for: "hub reject t declined")
  }

  @Test func theCallThatHasRungLongestIsAnswered() async throws {
    let bench = try EngineBench(.ring(Self.ring))
    await #expect(throws: EngineError.noSuchCall) { try await bench.engine.answerRinging() }
    await bench.call("t", callerID: "cleo")
    await bench.advance(.seconds(1))
    await bench.call("a", callerID: "anna")
    try await bench.engine.answerRinging()
    await bench.log.wait(for: "hub answer t sdp-t")
  }

  @Test func theEndOfTheDaemonEndsAHunt() async throws {
    let bench = try await bench()
    try await bench.engine.hunt(plan())
    await bench.log.wait(for: "media servers s 1")
    await bench.engine.stop()
    #expect(bench.log.lines.contains("hub end s shutdown"))
    #expect(!bench.log.lines.contains { $0.hasPrefix("hub place s2") })
  }
}
