import CallPolicy
import HubClient
import MediaCore
import MediaPlaneAPI
import Signalling
import SystemSupport
import Testing

@testable import CallEngine

@Suite("Offers within a call, calls and offers that cross, a hub that goes and comes", .timeLimit(.minutes(1)))
struct CrossingTests {
  private static let zoe = CallParty(userID: "zoe", userTitle: "Zoe")

  // MARK: Two who call each other

  @Test func theCallOfTheLowerUserIDGoesOn() async throws {
    let bench = try EngineBench(.answer(AnswerSettings()))
    try await bench.placedCall()
    let events = bench.engine.events()
    await bench.call("theirs", callerID: "anna")
    await bench.log.wait(for: "hub end s glare")
    await bench.log.wait(for: "hub answer theirs sdp-theirs")
    for await event in events {
      guard case .call(let call) = event, call.sessionID == "s" else { continue }
      #expect(call.phase == .ended(reason: "glare"))
      break
    }
  }

  @Test func aCallThatGivesWayDoesNotMakeTheDeviceBusy() async throws {
    let busy = try PolicyRule(name: "busy", conditions: [.callUp(true)], decision: .reject(.busy))
    let others = try PolicyRule(name: "others", conditions: [], decision: .answer(AnswerSettings()))
    let bench = try EngineBench(policy: CallPolicy(rules: [busy, others]), maximumSessions: 1)
    try await bench.placedCall()
    await bench.call("theirs", callerID: "anna")
    await bench.log.wait(for: "hub answer theirs sdp-theirs")
  }

  @Test func theCallOfTheHigherUserIDGivesWay() async throws {
    let bench = try EngineBench(.reject(.declined))
    try await bench.placedCall(Self.zoe)
    await bench.call("theirs", callerID: "zoe")
    await bench.log.wait(for: "hub reject theirs declined")
    #expect(await bench.engine.currentCalls.map(\.sessionID) == ["s"])
  }

  @Test func aCallThatIsAnsweredGivesWayToNobody() async throws {
    let bench = try EngineBench(.reject(.declined))
    try await bench.connectedOutgoingCall()
    await bench.call("theirs", callerID: "anna")
    await bench.log.wait(for: "hub reject theirs declined")
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
  }

  @Test func theHubsWordAboutGlareEndsTheCall() async throws {
    let bench = try EngineBench()
    try await bench.placedCall()
    await bench.hubEnds(reason: "glare")
    await bench.log.wait(for: "media hangup s")
    await bench.call("theirs", callerID: "anna")
    await bench.log.wait(for: "hub answer theirs sdp-theirs")
  }

  // MARK: Offers within a call

  @Test("An offer of this side is answered by the other", arguments: [true, false])
  func ownOffer(isOutgoing: Bool) async throws {
    let bench = try EngineBench()
    if isOutgoing { try await bench.connectedOutgoingCall() } else { await bench.connectedCall() }
    await bench.engine.handle(.offerMade(sessionID: "s", sdp: "restart"))
    await bench.log.wait(for: "hub offer s restart")
    await bench.answered("restarted")
    await bench.log.wait(for: "media accept s restarted")
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
  }

  @Test func anOfferOfTheOtherSideIsAnsweredInACallOfThisDevice() async throws {
    let bench = try EngineBench()
    try await bench.connectedOutgoingCall()
    await bench.engine.handle(.callOffer(DescriptionEvent(sessionID: "s", sdp: "restart")))
    await bench.log.wait(for: "hub answer s sdp2-s")
    #expect(await bench.lines.contains("media renegotiate s restart"))
  }

  @Test func whereTwoOffersCrossTheReceiverAnswersTheCallers() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    bench.hub.refusal.withLock {
      $0 = .refused(status: 409, problem: Problem(type: "wrong-state", title: "No", status: 409))
    }
    await bench.engine.handle(.offerMade(sessionID: "s", sdp: "mine"))
    await bench.log.wait(for: "hub offer s mine")
    bench.hub.refusal.withLock { $0 = nil }
    await bench.engine.handle(.callOffer(DescriptionEvent(sessionID: "s", sdp: "theirs")))
    await bench.log.wait(for: "hub answer s sdp2-s")
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
  }

  @Test func whereTwoOffersCrossTheCallersGoesOn() async throws {
    let bench = try EngineBench()
    try await bench.connectedOutgoingCall()
    await bench.engine.handle(.offerMade(sessionID: "s", sdp: "mine"))
    await bench.log.wait(for: "hub offer s mine")
    bench.media.refusesOffers.withLock { $0 = true }
    await bench.engine.handle(.callOffer(DescriptionEvent(sessionID: "s", sdp: "theirs")))
    await bench.log.wait(for: "media renegotiate s theirs")
    await bench.answered("to mine")
    await bench.log.wait(for: "media accept s to mine")
    #expect(await !bench.lines.contains { $0.hasPrefix("hub answer") })
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
  }

  @Test func aRunningCallSurvivesAnAnswerThatCannotBeUsed() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    bench.media.refusesAnswers.withLock { $0 = true }
    await bench.answered("broken")
    await bench.log.wait(for: "media accept s broken")
    await bench.engine.handle(.localCandidates(sessionID: "s", candidates: ["x"]))
    await bench.log.wait(for: "hub candidates s x")
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
  }

  @Test func anOfferBeforeTheCallIsAnsweredIsNotSent() async throws {
    let bench = try EngineBench()
    try await bench.placedCall()
    await bench.engine.handle(.offerMade(sessionID: "s", sdp: "early"))
    await bench.hubEnds()
    await bench.log.wait(for: "media hangup s")
    #expect(await !bench.lines.contains { $0.hasPrefix("hub offer") })
  }

  // MARK: The hub goes and comes

  @Test func aHubThatIsNotThereForAnOfferDoesNotEndTheCall() async throws {
    let bench = try EngineBench()
    try await bench.connectedOutgoingCall()
    bench.hub.refusal.withLock { $0 = .unreachable("no route") }
    await bench.engine.handle(.offerMade(sessionID: "s", sdp: "restart"))
    await bench.engine.handle(.localCandidates(sessionID: "s", candidates: ["x"]))
    await bench.log.wait(for: "hub candidates s x")
    #expect(await bench.lines.count { $0 == "hub offer s restart" } == 1)
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
  }

  @Test func aCallSurvivesTheEventStreamsInterruption() async throws {
    let bench = try EngineBench()
    try await bench.placedCall()
    await bench.engine.handle(HubStreamEvent.closed)
    await bench.advance(.seconds(20))
    await bench.goOnline()
    await bench.answered()
    await bench.log.wait(for: "media accept s answer")
    #expect(await bench.lines.count { $0.hasPrefix("hub place") } == 1)
  }

  @Test func aHubThatLostEventsIsAskedWhetherItKnowsTheCall() async throws {
    let bench = try EngineBench()
    try await bench.placedCall()
    await bench.engine.handle(HubStreamEvent.closed)
    await bench.goOnline(isReset: true)
    await bench.log.wait(for: "hub place s anna offer-s", count: 2)
    await bench.engine.handle(.callRinging(SessionEvent(sessionID: "s")))
    await bench.answered()
    await bench.log.wait(for: "media accept s answer")
    #expect(await bench.lines.count { $0 == "media servers s 1" } == 1)
  }

  @Test func aCallThatTheHubHasEndedMeanwhileEndsHereToo() async throws {
    let bench = try EngineBench()
    try await bench.placedCall()
    bench.hub.refusal.withLock {
      $0 = .refused(status: 410, problem: Problem(type: "session-ended", title: "Over", status: 410))
    }
    await bench.goOnline(isReset: true)
    await bench.log.wait(for: "media hangup s")
    #expect(await bench.engine.currentCalls.isEmpty)
  }

  @Test func aHubThatIsStillTooBusyToAnswerDoesNotEndAPlacedCall() async throws {
    let bench = try EngineBench()
    try await bench.placedCall()
    bench.hub.refusal.withLock { $0 = .timedOut }
    await bench.goOnline(isReset: true)
    await bench.log.wait(for: "hub place s anna offer-s", count: 2)
    await bench.engine.handle(.localCandidates(sessionID: "s", candidates: ["x"]))
    await bench.log.wait(for: "hub candidates s x")
    #expect(await bench.engine.currentCalls.map(\.phase) == [.calling])
  }
}
