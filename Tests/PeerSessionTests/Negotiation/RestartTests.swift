import MediaCore
import PeerSession
import SDP
import Testing

@Suite struct RestartTests {
  private func connected() throws -> SessionPair {
    let pair = try SessionPair()
    try pair.connect()
    pair.run(for: .seconds(2))
    return pair
  }

  /// Whether both sides have each frame of the other from `start` on.
  private func expectNoLoss(_ pair: SessionPair, since start: MonotonicInstant) {
    for party in [pair.caller, pair.callee] {
      for kind in MediaKind.allCases {
        let numbers = party.collector.frames[kind].filter { $0.arrival >= start }.compactMap(\.number)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 })
        #expect(pair.now - party.collector.frames[kind].last!.arrival < .milliseconds(60))
      }
    }
  }

  @Test func `a restart loses no frame`() throws {
    let pair = try connected()
    let start = pair.now
    let (caller, callee) = (pair.caller.session, pair.callee.session)
    let before = (caller.localUsernameFragments, callee.localUsernameFragments)
    let offer = try #require(caller.restartICE(now: pair.now))
    #expect(caller.localUsernameFragments == before.0)
    pair.run(for: .milliseconds(300))
    let answer = try callee.renegotiate(offer: offer, now: pair.now)
    // The old fragment counts until the new path is there.
    #expect(callee.localUsernameFragments.count == 2)
    #expect(callee.localUsernameFragments.last == before.1.first)
    pair.run(for: .milliseconds(300))
    try caller.accept(answer: answer, now: pair.now)
    pair.run(for: .seconds(40))
    #expect(caller.localUsernameFragments.count == 1 && caller.localUsernameFragments != before.0)
    #expect(callee.localUsernameFragments.count == 1 && callee.localUsernameFragments != before.1)
    #expect(pair.caller.end == nil && pair.callee.end == nil)
    expectNoLoss(pair, since: start)
    #expect(pair.caller.count(.connected) == 1 && pair.callee.count(.connected) == 1)
  }

  @Test func `versions of descriptions grow, and an offer that comes again is answered the same`() throws {
    let pair = try connected()
    func version(_ text: String) throws -> Int {
      try #require(Int(SessionDescriptionParser.parse(text).sessionVersion))
    }
    let first = pair.callee.session.localDescription
    let offer = try #require(pair.caller.session.restartICE(now: pair.now))
    #expect(try version(offer) == 2)
    let answer = try pair.callee.session.renegotiate(offer: offer, now: pair.now)
    #expect(try version(answer) == version(first) + 1)
    #expect(try pair.callee.session.renegotiate(offer: offer, now: pair.now) == answer)
    #expect(
      try SessionDescriptionParser.parse(answer).sessionID == SessionDescriptionParser.parse(first).sessionID)
  }

  @Test func `an offer without an answer is taken back after 10 s`() throws {
    let pair = try connected()
    let start = pair.now
    let offer = try #require(pair.caller.session.restartICE(now: pair.now))
    #expect(pair.caller.session.restartICE(now: pair.now) == nil)
    pair.run(for: .seconds(11))
    #expect(throws: PeerSessionError.self) {
      try pair.caller.session.accept(answer: pair.callee.session.localDescription, now: pair.now)
    }
    #expect(pair.caller.session.restartICE(now: pair.now) != offer)
    expectNoLoss(pair, since: start)
  }

  @Test func `an answer with the credentials of before is no answer to a restart`() throws {
    let pair = try connected()
    _ = pair.caller.session.restartICE(now: pair.now)
    #expect(throws: PeerSessionError.notAcceptable(.ignoredRestart)) {
      try pair.caller.session.accept(answer: pair.callee.session.localDescription, now: pair.now)
    }
  }

  @Test func `of two offers that cross the first caller's goes on`() throws {
    let pair = try connected()
    let start = pair.now
    let ours = try #require(pair.caller.session.restartICE(now: pair.now))
    let theirs = try #require(pair.callee.session.restartICE(now: pair.now))
    #expect(throws: PeerSessionError.offerPending) {
      try pair.caller.session.renegotiate(offer: theirs, now: pair.now)
    }
    let answer = try pair.callee.session.renegotiate(offer: ours, now: pair.now)
    try pair.caller.session.accept(answer: answer, now: pair.now)
    #expect(throws: PeerSessionError.self) { try pair.callee.session.accept(answer: answer, now: pair.now) }
    pair.run(for: .seconds(5))
    expectNoLoss(pair, since: start)
    // Afterwards the callee may offer as well.
    let later = try #require(pair.callee.session.restartICE(now: pair.now))
    try pair.callee.session.accept(answer: pair.caller.session.renegotiate(offer: later, now: pair.now), now: pair.now)
    pair.run(for: .seconds(5))
    expectNoLoss(pair, since: start)
  }

  @Test func `an offer that is refused changes nothing`() throws {
    let pair = try connected()
    let start = pair.now
    let offer = try #require(pair.caller.session.restartICE(now: pair.now))
    let before = (pair.callee.session.localDescription, pair.callee.session.localUsernameFragments)
    let broken = [
      // A byte too many.
      "", offer.replacing("a=fingerprint:sha-256 ", with: "a=fingerprint:sha-256 00:"),
      offer.replacing(" 96", with: " 98").replacing(":96", with: ":98").replacing("apt=96", with: "apt=98"),
      offer.replacing("a=extmap:3", with: "a=extmap:9"), offer.replacing("a=mid:1", with: "a=mid:5"),
      offer.replacing("m=video 9", with: "m=video 0").replacing("m=audio 9", with: "m=audio 0"),
      offer.replacing("a=setup:actpass", with: "a=setup:active"),
    ]
    for text in broken {
      #expect(throws: PeerSessionError.self) { try pair.callee.session.renegotiate(offer: text, now: pair.now) }
      #expect(pair.callee.session.localDescription == before.0)
      #expect(pair.callee.session.localUsernameFragments == before.1)
    }
    pair.run(for: .seconds(11))
    expectNoLoss(pair, since: start)
  }

  // MARK: Addresses

  @Test func `another address brings a restart, and media goes on from there`() throws {
    let pair = try connected()
    let other = SessionPair.otherCalleeAddress
    pair.deadAddresses = [SessionPair.calleeAddress]
    let lost = pair.now
    pair.callee.session.changeLocalAddresses([other], now: pair.now)
    pair.callee.session.changeLocalAddresses([other], now: pair.now)
    pair.drain()
    #expect(pair.callee.count(.restartNeeded) == 1)
    #expect(pair.callee.events.contains { if case .candidateGathered = $0 { true } else { false } })
    let offer = try #require(pair.callee.session.restartICE(now: pair.now))
    let candidates = try SessionDescriptionParser.parse(offer).media[0].candidates
    #expect(candidates.map(\.address) == [other])
    try pair.callee.session.accept(answer: pair.caller.session.renegotiate(offer: offer, now: pair.now), now: pair.now)
    pair.run(for: .seconds(3))
    for party in [pair.caller, pair.callee] {
      let first = try #require(party.collector.frames.audio.first { $0.arrival > lost + .milliseconds(50) })
      #expect(first.arrival - lost <= .seconds(1))
      #expect(pair.now - party.collector.frames.video.last!.arrival < .milliseconds(60))
      #expect(party.collector.frames.isDecodable)
    }
  }

  @Test func `an address more is told and tried without a restart`() throws {
    let pair = try connected()
    pair.callee.session.changeLocalAddresses(
      [SessionPair.calleeAddress, SessionPair.otherCalleeAddress], now: pair.now)
    pair.drain()
    #expect(pair.callee.count(.restartNeeded) == 1)
    #expect(pair.callee.session.localDescription.contains("10.0.1.2"))
    pair.run(for: .seconds(5))
    #expect(pair.callee.end == nil)
  }

  // MARK: A path that dies

  @Test func `a path that dies is left for another that answers, without a restart`() throws {
    let pair = try connected()
    pair.callee.session.changeLocalAddresses(
      [SessionPair.calleeAddress, SessionPair.otherCalleeAddress], now: pair.now)
    pair.drain()
    let asked = pair.caller.count(.restartNeeded)
    pair.run(for: .seconds(2))
    pair.deadAddresses = [SessionPair.calleeAddress]
    pair.run(for: .seconds(40))
    #expect(pair.caller.count(.restartNeeded) == asked)
    #expect(pair.now - pair.caller.collector.frames.video.last!.arrival < .milliseconds(60))
  }

  @Test func `a silent path asks for a restart, which finds another`() throws {
    let pair = try connected()
    pair.deadAddresses = [SessionPair.calleeAddress]
    pair.run(for: .seconds(20)) { pair.caller.count(.restartNeeded) > 0 }
    #expect(pair.caller.count(.restartNeeded) == 1)
    pair.callee.session.changeLocalAddresses([SessionPair.otherCalleeAddress], now: pair.now)
    pair.drain()
    try pair.renegotiate()
    pair.run(for: .seconds(40))
    #expect(pair.caller.end == nil && pair.callee.end == nil)
    #expect(pair.now - pair.caller.collector.frames.video.last!.arrival < .milliseconds(60))
  }

  @Test func `a restart whose offer got lost is asked for again`() throws {
    let pair = try connected()
    pair.deadAddresses = [SessionPair.calleeAddress]
    pair.run(for: .seconds(25)) {
      if pair.caller.count(.restartNeeded) > 0 { _ = pair.caller.session.restartICE(now: pair.now) }
      return pair.caller.count(.restartNeeded) > 1
    }
    #expect(pair.caller.count(.restartNeeded) == 2)
    #expect(pair.caller.end == nil)
  }

  @Test func `a peer that is gone ends the session within 30 s although a restart is tried`() throws {
    let pair = try connected()
    let start = pair.now
    pair.deadAddresses = [SessionPair.calleeAddress]
    pair.run(for: .seconds(31)) {
      if pair.caller.count(.restartNeeded) > 0 { _ = pair.caller.session.restartICE(now: pair.now) }
      return pair.caller.end != nil
    }
    #expect(pair.caller.count(.restartNeeded) >= 1)
    #expect(pair.caller.end == .consentExpired)
    #expect(pair.now - start <= .seconds(30))
    #expect(pair.caller.session.deadline == .distantFuture)
  }
}
