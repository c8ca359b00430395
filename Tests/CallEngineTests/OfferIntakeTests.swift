import HubClient
import MediaCore
import MediaPlaneAPI
import Signalling
import SystemSupport
import Testing

@testable import CallEngine

@Suite("Offers that come faster than they are answered", .timeLimit(.minutes(1)))
struct OfferIntakeTests {
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  @Test func theNewestAloneIsAnsweredNext() {
    var intake = OfferIntake()
    let taken = ["1", "2", "3"].map { intake.take(NumberedOffer(sdp: $0), now: start)?.sdp }
    #expect(taken == ["1", nil, nil])
    #expect(intake.isCrowded)
    let isCurrent = intake.finish()
    #expect(!isCurrent)
    let next = intake.popReady(now: start)
    #expect(next?.sdp == "3")
    let isLast = intake.finish()
    #expect(isLast)
    #expect(intake.nextDeadline == nil)
  }

  @Test func thirtyAMinuteAreAnsweredOnceABurstIsUsedUp() {
    var intake = OfferIntake()
    var answered = 0
    for step in 0..<6_000 {
      let now = start + .milliseconds(10) * Int64(step)
      if intake.take(NumberedOffer(sdp: "\(step)"), now: now) == nil { continue }
      answered += 1
      _ = intake.finish()
    }
    #expect((38...40).contains(answered))
  }

  @Test func theLastOfAStormHasItsTurn() throws {
    var intake = OfferIntake()
    for step in 0..<100 {
      _ = intake.take(NumberedOffer(sdp: "\(step)"), now: start)
      _ = intake.finish()
    }
    let due = try #require(intake.nextDeadline)
    #expect(due == start + .seconds(2))
    let early = intake.popReady(now: start + .milliseconds(1_999))
    let last = intake.popReady(now: due)
    #expect(early == nil && last?.sdp == "99")
  }

  @Test func anAnswerThatNeverComesHoldsUpTheNextForALimitedTime() {
    var intake = OfferIntake()
    _ = intake.take(NumberedOffer(sdp: "1"), now: start)
    _ = intake.take(NumberedOffer(sdp: "2"), now: start + .seconds(1))
    #expect(intake.nextDeadline == start + .seconds(10))
  }

  // MARK: In a call

  private static let wrongState = HubClientError.refused(
    status: 409, problem: Problem(type: "wrong-state", title: "No", status: 409))

  private func offer(_ sdp: String, _ bench: EngineBench) async {
    await bench.engine.handle(.callOffer(DescriptionEvent(sessionID: "s", sdp: sdp)))
  }

  @Test("A refused answer to an offer within a call leaves it alone", arguments: [true, false])
  func refusedRenewal(isConnected: Bool) async throws {
    let bench = try EngineBench()
    await bench.call()
    await bench.log.wait(for: "hub answer s sdp-s")
    if isConnected { await bench.engine.handle(.connected(sessionID: "s")) }
    bench.hub.refusal.withLock { $0 = Self.wrongState }
    await offer("again", bench)
    await bench.log.wait(for: "hub answer s sdp2-s")
    bench.hub.refusal.withLock { $0 = nil }
    await bench.engine.handle(.localCandidates(sessionID: "s", candidates: ["x"]))
    await bench.log.wait(for: "hub candidates s x")
    #expect(await bench.engine.currentCalls.map(\.phase) == [isConnected ? .connected : .connecting])
  }

  @Test func theFirstAnswersRefusalEndsTheCall() async throws {
    let bench = try EngineBench()
    bench.hub.refusal.withLock { $0 = Self.wrongState }
    await bench.call()
    await bench.log.wait(for: "media hangup s")
  }

  @Test func anAnswerSaysWhichOfferItIsTo() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await bench.engine.handle(.callOffer(DescriptionEvent(sessionID: "s", sdp: "again", offerNumber: 7)))
    await bench.log.wait(for: "hub answer s sdp2-s")
    #expect(bench.hub.answeredNumbers.withLock { $0 } == [0, 7])
  }

  @Test func aCallThatAnotherClientHasAnsweredGoesOnThere() async throws {
    let bench = try EngineBench()
    bench.hub.refusal.withLock {
      $0 = .refused(status: 409, problem: Problem(type: "answered-elsewhere", title: "No", status: 409))
    }
    await bench.call()
    await bench.log.wait(for: "media hangup s")
    #expect(await !bench.lines.contains { $0.hasPrefix("hub end") })
  }

  @Test func aStormOfOffersIsAnsweredOnceForItsNewest() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    let gate = Gate()
    bench.media.renegotiationGate.withLock { $0 = gate }
    for number in 1...14 { await offer("offer\(number)", bench) }
    await bench.log.wait(for: "media renegotiate s offer1")
    bench.media.renegotiationGate.withLock { $0 = nil }
    gate.open()
    await bench.log.wait(for: "hub answer s sdp2-s")
    #expect(
      await bench.lines.filter { $0.hasPrefix("media renegotiate") }
        == ["media renegotiate s offer1", "media renegotiate s offer14"])
    #expect(await bench.lines.count { $0 == "hub answer s sdp2-s" } == 1)
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
  }
}
