import CallPolicy
import HubClient
import MediaCore
import MediaPlaneAPI
import Signalling
import SystemSupport
import Testing

@testable import CallEngine

@Suite("How calls go", .timeLimit(.minutes(1)))
struct CallFlowTests {
  @Test func aCallIsAnsweredAndEnds() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
    await bench.hubEnds()
    await bench.log.wait(for: "media hangup s")
    #expect(
      await bench.lines.filter { $0 != "hub ring s" }
        == ["media answer s", "hub answer s sdp-s", "media hangup s"])
    #expect(await bench.lines.contains("hub ring s"))
    #expect(await bench.engine.currentCalls.isEmpty)
  }

  @Test func whatIsPublishedFollowsPolicyAndOffer() async throws {
    let settings = AnswerSettings.with {
      $0.publishesAudio = false
      $0.mayTalk = false
      $0.playsTone = false
    }
    let bench = try EngineBench(.answer(settings))
    await bench.call("both")
    await bench.log.wait(for: "media answer both")
    let request = try #require(bench.media.lastRequest.withLock { $0 })
    #expect(request.publish == [.video])
    #expect(!request.mayTalk)
    #expect(!request.playsTone)
    await bench.call("sound", isVideo: false)
    await bench.log.wait(for: "media answer sound")
    #expect(bench.media.lastRequest.withLock { $0 }?.publish == [])
  }

  @Test func aRejectedCallNeverTouchesTheMedia() async throws {
    let bench = try EngineBench(.reject(.outsideHours))
    await bench.call()
    await bench.log.wait(for: "hub reject s outside-hours")
    #expect(await !bench.lines.contains { $0.hasPrefix("media") })
  }

  @Test func anOfferThatCannotBeAnsweredIsRejected() async throws {
    let bench = try EngineBench()
    bench.media.refusesOffers.withLock { $0 = true }
    await bench.call()
    await bench.log.wait(for: "hub reject s not-acceptable")
    await bench.log.wait(for: "media hangup s")
  }

  @Test func aDelayedAnswerComesInItsTime() async throws {
    let bench = try EngineBench(.answer(.with { $0.delay = .seconds(5) }))
    await bench.call()
    await bench.log.wait(for: "hub ring s")
    await bench.advance(.milliseconds(4999))
    #expect(await !bench.lines.contains("media answer s"))
    await bench.advance(.milliseconds(1))
    await bench.log.wait(for: "hub answer s sdp-s")
  }

  private static let ringing = PolicyDecision.ring(
    RingSettings(timeout: .seconds(20), then: .reject(.declined), answer: AnswerSettings()))

  @Test func somebodyAnswersACallThatRings() async throws {
    let bench = try EngineBench(Self.ringing)
    await bench.call()
    #expect(await bench.engine.currentCalls.map(\.phase) == [.ringing])
    try await bench.engine.answer("s")
    await bench.log.wait(for: "hub answer s sdp-s")
  }

  @Test func somebodyRejectsACallThatRings() async throws {
    let bench = try EngineBench(Self.ringing)
    await bench.call()
    try await bench.engine.reject("s", reason: .busy)
    await bench.log.wait(for: "hub reject s busy")
  }

  @Test func aCallThatRingsTooLongTakesItsFallback() async throws {
    let bench = try EngineBench(Self.ringing)
    await bench.call()
    await bench.advance(.seconds(20))
    await bench.log.wait(for: "hub reject s declined")
  }

  @Test func aCallerWhoGivesUpWhileItRingsCausesNothing() async throws {
    let bench = try EngineBench(Self.ringing)
    await bench.call()
    await bench.log.wait(for: "hub ring s")
    await bench.hubEnds()
    await bench.advance(.seconds(60))
    await #expect(throws: EngineError.noSuchCall) { try await bench.engine.answer("s") }
    #expect(await bench.lines == ["hub ring s"])
  }

  @Test func aCallerWhoGivesUpWhileItIsAnsweredIsHungUpAfterwards() async throws {
    let bench = try EngineBench()
    let gate = Gate()
    bench.media.answerGate.withLock { $0 = gate }
    await bench.call()
    await bench.log.wait(for: "media answer s")
    await bench.hubEnds()
    gate.open()
    await bench.log.wait(for: "media hangup s")
    #expect(await !bench.lines.contains { $0.hasPrefix("hub answer") })
  }

  @Test func candidatesBeforeTheAnswerWaitForIt() async throws {
    let bench = try EngineBench(Self.ringing)
    await bench.call()
    await bench.candidates(["a", ""])
    try await bench.engine.answer("s")
    await bench.log.wait(for: "media candidates s a,")
    await bench.candidates(["b"])
    await bench.log.wait(for: "media candidates s b")
    let media = await bench.lines.filter { $0.hasPrefix("media") }
    #expect(media == ["media answer s", "media candidates s a,", "media candidates s b"])
  }

  @Test func candidatesWithoutEndAreNotCollected() async throws {
    let bench = try EngineBench(Self.ringing)
    await bench.call()
    for number in 0..<40 {
      await bench.candidates((0..<10).map { "\(number)-\($0)" })
    }
    try await bench.engine.answer("s")
    await bench.log.wait(for: "hub answer s sdp-s")
    let passed = await bench.lines.filter { $0.hasPrefix("media candidates") }.flatMap { $0.split(separator: ",") }
    #expect(passed.count == 256)
  }

  @Test func longCandidatesAreDroppedAndTheOthersTaken() async throws {
    let bench = try EngineBench(Self.ringing)
    await bench.call()
    await bench.candidates(["a", String(repeating: "x", count: 1_025), "b"])
    try await bench.engine.answer("s")
    await bench.log.wait(for: "media candidates s a,b")
    #expect(await bench.engine.calls["s"]?.machine.droppedCandidates == 1)
  }

  @Test func localCandidatesGoToTheCaller() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await bench.engine.handle(.localCandidates(sessionID: "s", candidates: ["x"]))
    await bench.log.wait(for: "hub candidates s x")
  }

  @Test func aNewOfferWithinTheCallIsAnswered() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await bench.engine.handle(.callOffer(DescriptionEvent(sessionID: "s", sdp: "restart")))
    await bench.log.wait(for: "hub answer s sdp2-s")
    #expect(await bench.lines.contains("media renegotiate s restart"))
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
  }

  @Test func aCallWhoseMediaNeverConnectsIsGivenUp() async throws {
    let bench = try EngineBench()
    await bench.call()
    await bench.log.wait(for: "hub answer s sdp-s")
    await bench.advance(.seconds(30))
    await bench.log.wait(for: "hub end s connection-lost")
    await bench.log.wait(for: "media hangup s")
  }

  @Test(
    "Media that ends takes the session with it",
    arguments: [
      (MediaEndReason.closed, "hangup"), (.connectionLost, "connection-lost"), (.error, "error"),
    ])
  func mediaEnds(reason: MediaEndReason, expected: String) async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await bench.engine.handle(.ended(sessionID: "s", reason: reason))
    await bench.log.wait(for: "hub end s \(expected)")
  }

  @Test func aCallOfLimitedDurationIsWarnedAndEnded() async throws {
    let bench = try EngineBench(.answer(.with { $0.maxDuration = .seconds(600) }))
    await bench.connectedCall()
    await bench.advance(.seconds(569))
    #expect(await !bench.lines.contains { $0.contains("warning") })
    await bench.advance(.seconds(1))
    await bench.log.wait(for: #"hub signal s warning {"reason":"max-duration","secondsLeft":30}"#)
    await bench.advance(.seconds(30))
    await bench.log.wait(for: "hub end s max-duration")
    await bench.log.wait(for: "media hangup s")
    #expect(await bench.lines.count { $0.contains("warning") } == 1)
  }

  @Test func aCallerLearnsWhatItsOfferLeavesOut() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    let missing = MissingMedia(kind: .video, reason: .notBundled, text: "video has a transport of its own")
    await bench.engine.handle(.mediaMissing(sessionID: "s", [missing]))
    await bench.log.wait(for: #"hub signal s warning {"reason":"not-bundled","media":["video"]}"#)
    #expect(await bench.engine.status().calls.map(\.notes) == [["video has a transport of its own"]])
    await bench.engine.handle(.mediaMissing(sessionID: "s", []))
    #expect(await bench.engine.status().calls.map(\.notes) == [[]])
  }

  @Test func aCallerLearnsThatThereIsNoPath() async throws {
    let bench = try EngineBench()
    await bench.call("s", callerID: "anna", role: .moderator)
    await bench.log.wait(for: "hub answer s sdp-s")
    let event = MediaPlaneEvent.pathMissing(sessionID: "s", hidesAddresses: true, text: "a firewall lies between")
    await bench.engine.handle(event)
    await bench.log.wait(for: #"hub signal s warning {"reason":"no-path","hidesAddresses":true}"#)
    #expect(await bench.engine.status().calls.map(\.notes) == [["a firewall lies between"]])
    await bench.engine.handle(.connected(sessionID: "s"))
    #expect(await bench.engine.status().calls.map(\.notes) == [[]])
  }

  @Test func aCallerLearnsEachReasonOnce() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    let missing = [MediaKind.audio, .video].map { MissingMedia(kind: $0, reason: .noCommonCodec, text: "\($0)") }
    await bench.engine.handle(.mediaMissing(sessionID: "s", missing))
    await bench.log.wait(for: #"hub signal s warning {"reason":"no-common-codec","media":["audio","video"]}"#)
    #expect(await bench.lines.count { $0.contains("warning") } == 1)
  }

  @Test func aCallerLearnsThatEnoughOthersTalk() async throws {
    let bench = try EngineBench(.answer(.with { $0.maxTalkers = 3 }))
    await bench.connectedCall()
    #expect(bench.media.lastRequest.withLock { $0?.maxTalkers } == 3)
    await bench.engine.handle(.notHeard(sessionID: "s", talkers: 3))
    await bench.log.wait(for: #"hub signal s warning {"reason":"not-heard","talkers":3}"#)
    await bench.engine.handle(.heard(sessionID: "s"))
    await bench.log.wait(for: #"hub signal s warning {"reason":"heard"}"#)
  }

  @Test func anAnswerThatTheHubHasNoSessionForEndsTheCall() async throws {
    let bench = try EngineBench()
    bench.hub.refusal.withLock { $0 = .refused(status: 404, problem: nil) }
    await bench.call()
    await bench.log.wait(for: "media hangup s")
    #expect(await bench.engine.currentCalls.isEmpty)
    #expect(await !bench.lines.contains { $0.hasPrefix("hub end") })
  }

  @Test func aHubThatIsAwayDoesNotEndACall() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    bench.hub.refusal.withLock { $0 = .timedOut }
    await bench.engine.handle(HubStreamEvent.closed)
    await bench.engine.handle(.localCandidates(sessionID: "s", candidates: ["x"]))
    await bench.log.wait(for: "hub candidates s x")
    await bench.advance(.seconds(3600))
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
  }

  @Test func theSameCallTwiceIsOneCall() async throws {
    let bench = try EngineBench()
    await bench.call()
    await bench.call()
    await bench.log.wait(for: "hub answer s sdp-s")
    #expect(await bench.lines.count { $0 == "media answer s" } == 1)
  }

  @Test func oneCallTooManyIsBusy() async throws {
    let bench = try EngineBench(maximumSessions: 2)
    await bench.connectedCall("a")
    await bench.connectedCall("b", callerID: "bert")
    await bench.call("c", callerID: "clara")
    await bench.log.wait(for: "hub reject c busy")
    await bench.hubEnds("a")
    await bench.log.wait(for: "media hangup a")
    await bench.connectedCall("d")
    #expect(await bench.engine.currentCalls.map(\.sessionID) == ["b", "d"])
  }

  @Test func aCameraThatHangsHoldsUpNoOtherCallAndNoMessage() async throws {
    let bench = try EngineBench()
    let gate = Gate()
    bench.media.answerGate.withLock { $0 = gate }
    await bench.call("stuck")
    await bench.log.wait(for: "media answer stuck")
    bench.media.answerGate.withLock { $0 = nil }
    await bench.connectedCall("fine")
    await bench.advance(.seconds(30))
    await bench.log.wait(for: "hub end stuck connection-lost")
    #expect(await bench.engine.currentCalls.map(\.sessionID) == ["fine"])
    gate.open()
    await bench.log.wait(for: "media hangup stuck")
  }

  @Test func aCallerWhoCallsTooOftenIsTurnedAway() async throws {
    let limited = try PolicyRule(
      name: "often", conditions: [.recentCalls(count: 2, span: .seconds(60))], decision: .reject(.rateLimited))
    let other = try PolicyRule(name: "all", conditions: [], decision: .reject(.declined))
    let bench = try EngineBench(policy: CallPolicy(rules: [limited, other]))
    for number in 1...2 {
      await bench.call(SessionID("s\(number)")!)
      await bench.log.wait(for: "hub reject s\(number) declined")
    }
    await bench.call("s3")
    await bench.log.wait(for: "hub reject s3 rate-limited")
    await bench.call("other", callerID: "bert")
    await bench.log.wait(for: "hub reject other declined")
    await bench.advance(.seconds(61))
    await bench.call("s4")
    await bench.log.wait(for: "hub reject s4 declined")
  }
}
