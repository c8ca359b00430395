import CallPolicy
import HubClient
import MediaCore
import MediaPlaneAPI
import Signalling
import SystemSupport
import Testing

@testable import CallEngine

@Suite("Calls that the device places", .timeLimit(.minutes(1)))
struct OutgoingCallTests {
  private func bench(_ change: (inout OutgoingSettings) -> Void = { _ in }) throws -> EngineBench {
    var outgoing = OutgoingSettings()
    change(&outgoing)
    return try EngineBench(policy: CallPolicy(rules: [], outgoing: outgoing))
  }

  @Test func aCallIsPlacedRingsIsAnsweredAndEnds() async throws {
    let bench = try bench()
    try await bench.placedCall()
    #expect(await bench.engine.currentCalls.map(\.phase) == [.calling])
    await bench.engine.handle(.callRinging(SessionEvent(sessionID: "s")))
    #expect(await bench.engine.currentCalls.map(\.phase) == [.alerting])
    await bench.answered()
    await bench.log.wait(for: "media accept s answer")
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connecting])
    await bench.engine.handle(.connected(sessionID: "s"))
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
    try await bench.engine.hangUp("s")
    await bench.log.wait(for: "hub end s hangup")
    await bench.log.wait(for: "media hangup s")
    let lines = await bench.lines.filter { $0.hasPrefix("media") || $0.hasPrefix("hub place") }
    #expect(
      lines == [
        "media offer s", "hub place s anna offer-s", "media servers s 1", "media accept s answer", "media hangup s",
      ])
  }

  @Test func theCallShowsHowManyPhonesRing() async throws {
    let bench = try bench()
    try await bench.placedCall()
    for (phones, shown) in [(nil, nil), (2, 2), (nil, 2), (-1, 2), (3, 3), (.max, 100)] as [(Int?, Int?)] {
      await bench.engine.handle(.callRinging(SessionEvent(sessionID: "s", phones: phones)))
      #expect(await bench.engine.currentCalls.map(\.phones) == [shown])
    }
    await bench.answered()
    await bench.log.wait(for: "media accept s answer")
    #expect(await bench.engine.currentCalls.map(\.phones) == [nil])
  }

  @Test func theCallIsShownWithWhomItIsWith() async throws {
    let bench = try bench()
    try await bench.placedCall()
    let call = try #require(await bench.engine.currentCalls.first)
    #expect(call.caller == CallParty(userID: "device", userTitle: "Gate"))
    #expect(call.receiver == EngineBench.anna)
    #expect(call.party == EngineBench.anna)
  }

  @Test func whatIsSentFollowsRequestAndPolicy() async throws {
    let bench = try bench {
      $0.publishesVideo = false
      $0.mayTalk = false
    }
    try await bench.placedCall()
    let request = try #require(bench.media.lastRequest.withLock { $0 })
    #expect(request.publish == [.audio])
    #expect(request.subscribe == [.audio, .video])
    #expect(!request.mayTalk)
    let placed = try #require(bench.hub.lastPlaced.withLock { $0 })
    #expect((placed.isAudio, placed.isVideo) == (true, true))
  }

  @Test func aDeviceWithoutCameraCallsWithSoundAlone() async throws {
    let bench = try EngineBench(policy: CallPolicy(rules: []), hasVideo: false)
    try await bench.placedCall()
    #expect(bench.media.lastRequest.withLock { $0 }?.subscribe == [.audio])
    #expect(bench.hub.lastPlaced.withLock { $0 }?.isVideo == false)
  }

  @Test func whomThePolicyForbidsIsNotCalled() async throws {
    let forbidden = try bench { $0.receivers = .users(["bert"]) }
    await forbidden.goOnline()
    await #expect(throws: EngineError.notAllowed) { try await forbidden.engine.call(EngineBench.anna) }
    _ = try await forbidden.engine.call(CallParty(userID: "bert", userTitle: "Bert"))
    let silent = try bench { $0.receivers = .noOne }
    await silent.goOnline()
    await #expect(throws: EngineError.notAllowed) { try await silent.engine.call(EngineBench.anna) }
  }

  @Test func withoutTheHubNobodyIsCalled() async throws {
    let bench = try bench()
    await #expect(throws: EngineError.notConnected) { try await bench.engine.call(EngineBench.anna) }
    #expect(await bench.lines.isEmpty)
  }

  @Test func aButtonPressedTwiceIsOneCall() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await #expect(throws: EngineError.alreadyInCall) { try await bench.engine.call(EngineBench.anna) }
  }

  @Test func oneCallTooManyIsNotPlaced() async throws {
    let bench = try EngineBench(maximumSessions: 1)
    await bench.connectedCall("t")
    await bench.goOnline()
    await #expect(throws: EngineError.tooManyCalls) {
      try await bench.engine.call(CallParty(userID: "bert", userTitle: "Bert"))
    }
  }

  @Test(
    "The hub's refusals end the call in its words",
    arguments: [(404, "receiver-offline"), (403, "not-allowed"), (429, "rate-limited"), (409, "glare")])
  func refused(status: Int, type: String) async throws {
    let bench = try bench()
    await bench.goOnline()
    let problem = Problem(type: type, title: "No", status: status)
    bench.hub.refusal.withLock { $0 = .refused(status: status, problem: problem) }
    let events = bench.engine.events()
    _ = try await bench.engine.call(EngineBench.anna)
    #expect(await Self.end(events) == type)
    await bench.log.wait(for: "media hangup s")
    #expect(await !bench.lines.contains { $0.hasPrefix("hub end") })
  }

  private static func end(_ events: AsyncStream<EngineEvent>) async -> String? {
    for await event in events {
      if case .call(let call) = event, case .ended(let reason) = call.phase { return reason }
    }
    return nil
  }

  @Test func aHubThatIsGoneWhenTheCallIsPlacedEndsIt() async throws {
    let bench = try bench()
    await bench.goOnline()
    bench.hub.refusal.withLock { $0 = .timedOut }
    let events = bench.engine.events()
    _ = try await bench.engine.call(EngineBench.anna)
    #expect(await Self.end(events) == "hub-unreachable")
    // It may have heard of the call all the same.
    await bench.log.wait(for: "hub end s error")
  }

  @Test func anOfferThatCannotBeMadeEndsTheCallUnheard() async throws {
    let bench = try bench()
    await bench.goOnline()
    bench.media.refusesOffers.withLock { $0 = true }
    _ = try await bench.engine.call(EngineBench.anna)
    await bench.log.wait(for: "media hangup s")
    #expect(await !bench.lines.contains { $0.hasPrefix("hub place") || $0.hasPrefix("hub end") })
  }

  @Test func aCameraThatHangsEndsTheCallUnheard() async throws {
    let bench = try bench()
    await bench.goOnline()
    let gate = Gate()
    bench.media.offerGate.withLock { $0 = gate }
    _ = try await bench.engine.call(EngineBench.anna)
    await bench.log.wait(for: "media offer s")
    await bench.advance(.seconds(30))
    #expect(await bench.engine.currentCalls.isEmpty)
    gate.open()
    await bench.log.wait(for: "media hangup s")
    #expect(await !bench.lines.contains { $0.hasPrefix("hub place") })
  }

  @Test(
    "The other side says no", arguments: ["declined", "busy", "not-acceptable"])
  func rejected(reason: String) async throws {
    let bench = try bench()
    try await bench.placedCall()
    let events = bench.engine.events()
    await bench.engine.handle(.callRejected(SessionEndedEvent(sessionID: "s", reason: reason)))
    #expect(await Self.end(events) == reason)
    await bench.log.wait(for: "media hangup s")
    #expect(await !bench.lines.contains { $0.hasPrefix("hub end") })
  }

  @Test func aCallThatNobodyAnswersEndsAfterAMinute() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await bench.engine.handle(.callRinging(SessionEvent(sessionID: "s")))
    await bench.advance(.milliseconds(59_999))
    #expect(await bench.engine.currentCalls.map(\.phase) == [.alerting])
    await bench.advance(.milliseconds(1))
    await bench.log.wait(for: "hub end s unanswered")
    await bench.log.wait(for: "media hangup s")
  }

  @Test func aCallWhoseMediaNeverConnectsIsGivenUp() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await bench.answered()
    await bench.advance(.seconds(30))
    await bench.log.wait(for: "hub end s connection-lost")
  }

  @Test func anAnswerThatCannotBeUsedEndsTheCall() async throws {
    let bench = try bench()
    bench.media.refusesAnswers.withLock { $0 = true }
    try await bench.placedCall()
    await bench.answered()
    await bench.log.wait(for: "hub end s error")
    await bench.log.wait(for: "media hangup s")
  }

  @Test("Somebody at the device gives up", arguments: ["offering", "calling", "placing", "alerting", "connecting"])
  func hangingUp(at stage: String) async throws {
    let bench = try bench()
    await bench.goOnline()
    let gate = Gate()
    if stage == "offering" { bench.media.offerGate.withLock { $0 = gate } }
    if stage == "placing" { bench.hub.placeGate.withLock { $0 = gate } }
    _ = try await bench.engine.call(EngineBench.anna)
    await bench.log.wait(for: stage == "offering" ? "media offer s" : "hub place s anna offer-s")
    if stage == "alerting" { await bench.engine.handle(.callRinging(SessionEvent(sessionID: "s"))) }
    if stage == "connecting" { await bench.answered() }
    try await bench.engine.hangUp("s")
    gate.open()
    await bench.log.wait(for: "media hangup s")
    if stage != "offering" { await bench.log.wait(for: "hub end s hangup") }
    await #expect(throws: EngineError.noSuchCall) { try await bench.engine.hangUp("s") }
    #expect(await bench.lines.contains { $0.hasPrefix("hub place") } == (stage != "offering"))
  }

  @Test func candidatesOfThisSideWaitUntilTheHubKnowsTheCall() async throws {
    let bench = try bench()
    await bench.goOnline()
    let offering = Gate()
    let placing = Gate()
    bench.media.offerGate.withLock { $0 = offering }
    bench.hub.placeGate.withLock { $0 = placing }
    _ = try await bench.engine.call(EngineBench.anna)
    await bench.engine.handle(.localCandidates(sessionID: "s", candidates: ["a"]))
    offering.open()
    await bench.log.wait(for: "hub place s anna offer-s")
    await bench.engine.handle(.localCandidates(sessionID: "s", candidates: ["b"]))
    #expect(!bench.log.lines.contains { $0.hasPrefix("hub candidates") })
    placing.open()
    await bench.log.wait(for: "hub candidates s b")
    #expect(
      await bench.lines.filter { $0.hasPrefix("hub candidates") } == ["hub candidates s a", "hub candidates s b"])
  }

  @Test func candidatesOfTheOtherSideWaitForItsAnswer() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await bench.candidates(["a"])
    await bench.answered()
    await bench.log.wait(for: "media candidates s a")
    await bench.candidates(["b"])
    await bench.log.wait(for: "media candidates s b")
    let media = await bench.lines.filter { $0.hasPrefix("media") }
    #expect(media.suffix(3) == ["media accept s answer", "media candidates s a", "media candidates s b"])
  }

  @Test func anAnswerThatOvertakesTheHubsGrantIsTaken() async throws {
    let bench = try bench()
    await bench.goOnline()
    let gate = Gate()
    bench.hub.placeGate.withLock { $0 = gate }
    _ = try await bench.engine.call(EngineBench.anna)
    await bench.log.wait(for: "hub place s anna offer-s")
    await bench.answered()
    await bench.log.wait(for: "media accept s answer")
    gate.open()
    await bench.log.wait(for: "media servers s 1")
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connecting])
  }

  @Test func aCallIsRecordedAndLimitedWhereThePolicySaysSo() async throws {
    let bench = try bench {
      $0.isRecorded = true
      $0.maxDuration = .seconds(60)
    }
    try await bench.connectedOutgoingCall()
    await bench.log.wait(for: "hub archive archive-s started")
    #expect(await bench.lines.contains("media archive s device>anna -"))
    await bench.advance(.seconds(45))
    await bench.log.wait(for: #"hub signal s warning {"reason":"max-duration","secondsLeft":15}"#)
    await bench.advance(.seconds(15))
    await bench.log.wait(for: "hub end s max-duration")
    await bench.log.wait(for: "media stop archive-s")
  }

  @Test func chatAndControlsWorkAsInACallThatCameIn() async throws {
    let bench = try bench()
    try await bench.connectedOutgoingCall()
    try await bench.engine.sendChat("s", text: "good day")
    await bench.engine.handle(.signal(SignalEvent(sessionID: "s", userID: "anna", type: "chat", data: "hello")))
    #expect(await bench.chat(2).map(\.text) == ["good day", "hello"])
    await bench.control("mute", "microphone")
    await bench.log.wait(for: "hub result s mute done")
    #expect(try await bench.engine.startArchive("s") == "archive-s")
    try await bench.engine.stopArchive("archive-s")
    await bench.log.wait(for: "media stop archive-s")
  }

  @Test(
    "Media that ends takes the session with it",
    arguments: [(MediaEndReason.closed, "hangup"), (.connectionLost, "connection-lost"), (.error, "error")])
  func mediaEnds(reason: MediaEndReason, expected: String) async throws {
    let bench = try bench()
    try await bench.connectedOutgoingCall()
    await bench.engine.handle(.ended(sessionID: "s", reason: reason))
    await bench.log.wait(for: "hub end s \(expected)")
  }

  @Test func theHeartbeatNamesTheCall() async throws {
    let bench = try EngineBench(maximumSessions: 1)
    try await bench.placedCall()
    await bench.settle()
    await bench.advance(.seconds(20))
    await bench.settle()
    let update = try #require(bench.hub.presence.withLock { $0.last })
    #expect(update.sessions == ["s"])
    #expect(update.status == .busy)
  }

  @Test func stoppingTheDaemonEndsTheCall() async throws {
    let bench = try bench()
    try await bench.placedCall()
    await bench.engine.stop()
    #expect(await bench.lines.contains("hub end s shutdown"))
    await #expect(throws: EngineError.stopped) { try await bench.engine.call(EngineBench.anna) }
  }
}
