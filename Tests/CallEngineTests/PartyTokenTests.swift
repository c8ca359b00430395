import CallPolicy
import HubClient
import MediaCore
import MediaPlaneAPI
import TestSupport
import SessionToken
import Signalling
import SystemSupport
import Testing

@testable import CallEngine

@Suite("How the other party is known", .timeLimit(.minutes(1)))
struct PartyTokenTests {
  static let badTokens: [String?] = [
    nil, "", "x.y.z", SampleToken.text(signature: [UInt8](repeating: 8, count: 64)),
    SampleToken.text(header: #"{"alg":"none","kid":"k1"}"#), SampleToken.text(header: #"{"alg":"EdDSA","kid":"k2"}"#),
    SampleToken.text(SampleToken.claims("bert")), SampleToken.text(SampleToken.claims(session: "t")),
    SampleToken.text(SampleToken.claims(aud: "livesessions-hub")),
    SampleToken.text(SampleToken.claims(valid: (1_000, 1_300))),
  ]

  @Test(arguments: badTokens) func aCallerWhoIsNotVerifiedIsRefused(_ token: String?) async throws {
    let bench = try EngineBench()
    await bench.call(token: token)
    await bench.log.wait(for: "hub reject s not-verified")
    #expect(await !bench.lines.contains { $0.hasPrefix("media") })
  }

  @Test(arguments: badTokens) func anAnswererWhoIsNotVerifiedIsHungUpOn(_ token: String?) async throws {
    let bench = try EngineBench()
    try await bench.placedCall()
    await bench.answered(token: token)
    await bench.log.wait(for: "hub end s not-verified")
    await bench.log.wait(for: "media hangup s")
    #expect(await !bench.lines.contains { $0.hasPrefix("media accept") })
  }

  @Test func aCallerWhoIsNotVerifiedEndsNoCallToThatUser() async throws {
    let bench = try EngineBench()
    try await bench.placedCall()
    await bench.call("theirs", token: nil)
    await bench.log.wait(for: "hub reject theirs not-verified")
    #expect(await bench.engine.currentCalls.map(\.sessionID) == ["s"])
  }

  @Test func aClockThatIsNotBelievedRefusesNoExpiredToken() async throws {
    let bench = try EngineBench(isClockSynchronized: false)
    await bench.call(token: SampleToken.text(SampleToken.claims(valid: (1_000, 1_300))))
    await bench.log.wait(for: "hub answer s sdp-s")
  }

  // MARK: Roles

  @Test func aSubscriberIsShownAndSendsNothing() async throws {
    let bench = try EngineBench()
    await bench.call(role: .subscriber, isAudio: false, isVideo: false)
    await bench.log.wait(for: "media answer s")
    let request = try #require(bench.media.lastRequest.withLock { $0 })
    #expect(request.subscribe == [] && !request.mayTalk)
    #expect(request.publish == [.audio, .video])
  }

  @Test(arguments: [SessionRole.publisher, .moderator]) func othersMaySend(_ role: SessionRole) async throws {
    let bench = try EngineBench()
    await bench.call(role: role)
    await bench.log.wait(for: "media answer s")
    let request = try #require(bench.media.lastRequest.withLock { $0 })
    #expect(request.subscribe == [.audio, .video] && request.mayTalk)
  }

  /// Otherwise a rule against pictures could be got round by asking for none.
  @Test func aSubscribersCallIsJudgedAsOneForSoundAndPictures() async throws {
    let pictures = try PolicyRule(
      name: "no pictures", conditions: [.media(audio: false, video: true)], decision: .reject(.outsideHours))
    let others = try PolicyRule(name: "all", conditions: [], decision: .answer(AnswerSettings()))
    let bench = try EngineBench(policy: CallPolicy(rules: [pictures, others]))
    await bench.call(role: .subscriber, isAudio: false, isVideo: false)
    await bench.log.wait(for: "hub reject s outside-hours")
  }

  @Test func aSubscriberMayChat() async throws {
    let bench = try EngineBench()
    await bench.connectedCall(role: .subscriber)
    await bench.engine.handle(.signal(SignalEvent(sessionID: "s", userID: "anna", type: "chat", data: "hello")))
    #expect(await bench.chat(1).map(\.text) == ["hello"])
  }

  @Test func aSubscriberIsNoAnswerer() async throws {
    let bench = try EngineBench()
    try await bench.placedCall()
    await bench.answered(role: .subscriber)
    await bench.log.wait(for: "hub end s not-allowed")
  }

  @Test func whoeverIsCalledControlsByItsOwnRole() async throws {
    for (role, result) in [(SessionRole.publisher, "not-allowed role"), (.moderator, "done")] {
      let bench = try EngineBench()
      try await bench.placedCall()
      await bench.answered(role: role)
      await bench.control("mute", "camera")
      await bench.log.wait(for: "hub result s mute \(result)")
    }
  }

  @Test func aControlOfSomebodyElseIsNone() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await bench.control("mute", "camera", userID: "bert")
    await bench.log.wait(for: "hub result s mute not-allowed role")
  }

  // MARK: Keys

  @Test func theKeysAreFetchedWhenTheStreamOpensAndThenKept() async throws {
    let bench = try EngineBench()
    await bench.goOnline()
    await bench.engine.keyFetch?.value
    for number in 1...3 { await bench.call(SessionID("s\(number)")!, callerID: "c\(number)") }
    #expect(bench.hub.keyRequests.withLock { $0 } == 1)
    await bench.goOnline()
    await bench.engine.keyFetch?.value
    #expect(bench.hub.keyRequests.withLock { $0 } == 2)
  }

  @Test func anUnknownKeyIsAskedForNowAndThen() async throws {
    let bench = try EngineBench()
    await bench.goOnline()
    await bench.engine.keyFetch?.value
    let token = { SampleToken.text(header: #"{"alg":"EdDSA","kid":"k2"}"#, SampleToken.claims(session: $0)) }
    for number in 1...4 {
      await bench.call(SessionID("s\(number)")!, token: token("s\(number)"))
      await bench.log.wait(for: "hub reject s\(number) not-verified")
    }
    #expect(bench.hub.keyRequests.withLock { $0 } == 1)
    bench.hub.keyIDs.withLock { $0 = ["k1", "k2"] }
    await bench.advance(SigningKeyCache.interval)
    await bench.call("new", token: token("new"))
    await bench.log.wait(for: "hub answer new sdp-new")
    #expect(bench.hub.keyRequests.withLock { $0 } == 2)
  }

  @Test func aHubThatGivesNoKeysHasItsCallsRefusedAndIsAskedAgain() async throws {
    let bench = try EngineBench()
    bench.hub.keyIDs.withLock { $0 = nil }
    await bench.call()
    await bench.log.wait(for: "hub reject s not-verified")
    bench.hub.keyIDs.withLock { $0 = ["k1"] }
    await bench.call("t")
    await bench.log.wait(for: "hub answer t sdp-t")
    #expect(bench.hub.keyRequests.withLock { $0 } == 2)
  }

  @Test func whatFollowsACallThatWaitsForKeysWaitsBehindIt() async throws {
    let bench = try EngineBench()
    let gate = Gate()
    bench.hub.keyGate.withLock { $0 = gate }
    await bench.call()
    await bench.candidates(["a"])
    await bench.call("t", callerID: "bert")
    await bench.hubEnds("t")
    #expect(await bench.engine.currentCalls.isEmpty)
    gate.open()
    await bench.engine.keyFetch?.value
    await bench.log.wait(for: "media candidates s a")
    #expect(bench.hub.keyRequests.withLock { $0 } == 1)
    #expect(await bench.engine.currentCalls.map(\.sessionID) == ["s"])
  }

  @Test func notMoreThanSomeEventsWait() {
    var cache = SigningKeyCache()
    let now = MonotonicInstant(nanoseconds: 1)
    #expect(cache.beginFetch(now: now) && !cache.beginFetch(now: now))
    let event = HubEvent.callRinging(SessionEvent(sessionID: "s"))
    let kept = (0..<100).count { _ in cache.hold(event) }
    #expect(kept == SigningKeyCache.capacity && cache.popHeld() == nil && cache.holdsEvents(of: "s"))
    cache.finishFetch(SigningKeySet())
    var released = 0
    while cache.popHeld() != nil { released += 1 }
    #expect(released == kept && !cache.holdsEvents(of: "s"))
    #expect(!cache.beginFetch(now: now + .seconds(9)) && cache.beginFetch(now: now + .seconds(10)))
  }
}
