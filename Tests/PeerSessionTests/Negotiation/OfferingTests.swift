import MediaCore
import PeerSession
import SDP
import Testing
import TransportCrypto

@Suite struct OfferingTests {
  private func expectMedia(_ party: Party, _ kinds: [MediaKind] = [.audio, .video]) {
    for kind in MediaKind.allCases {
      let frames = party.collector.frames
      guard kinds.contains(kind) else {
        #expect(frames[kind].isEmpty)
        continue
      }
      #expect(frames[kind].count >= (kind == .audio ? 95 : 55))
      #expect(frames.isIntactAndInOrder(kind))
    }
    #expect(party.collector.frames.isDecodable)
  }

  @Test(arguments: [DTLSRole.client, .server], [(true, true), (true, false), (false, true)])
  func `connects in either DTLS role, with candidates or without`(
    role: DTLSRole, candidates: (caller: Bool, callee: Bool)
  ) throws {
    var setup = SessionPair.Setup()
    setup.role = role
    (setup.callerHasCandidates, setup.calleeHasCandidates) = candidates
    let pair = try SessionPair(setup)
    try pair.connect()
    #expect(pair.caller.isConnected && pair.callee.isConnected)
    pair.run(for: .seconds(2))
    expectMedia(pair.caller)
    expectMedia(pair.callee)
    #expect(pair.callee.session.localDescription.contains(role == .client ? "a=setup:active" : "a=setup:passive"))
  }

  @Test func `checks and handshakes that come before the answer do no harm`() throws {
    let pair = try SessionPair()
    pair.run(for: .seconds(3))
    #expect(!pair.caller.isConnected)
    #expect(pair.caller.session.statistics.packetsSent == 0)
    let start = pair.now
    try pair.connect()
    #expect(pair.caller.isConnected && pair.callee.isConnected)
    #expect(pair.now - start <= .milliseconds(1_500))
  }

  @Test func `only what both sides want is sent`() throws {
    var setup = SessionPair.Setup()
    setup.callerPublishes = [.audio]
    setup.calleePublishes = [.video]
    let pair = try SessionPair(setup)
    try pair.connect()
    pair.run(for: .seconds(2))
    expectMedia(pair.caller, [.video])
    expectMedia(pair.callee, [.audio])
    #expect(pair.caller.session.sentKinds == [.audio])
    #expect(pair.callee.session.sentKinds == [.video])
  }

  @Test func `an answer that does not fit leaves the offer waiting`() throws {
    let pair = try SessionPair()
    let answer = pair.callee.session.localDescription
    for broken in ["", "v=1", answer.replacing("opus", with: "speex"), answer.replacing("a=mid:0", with: "a=mid:9")] {
      #expect(throws: PeerSessionError.self) { try pair.caller.session.accept(answer: broken, now: pair.now) }
    }
    try pair.connect()
    #expect(pair.caller.isConnected)
    #expect(throws: PeerSessionError.self) { try pair.caller.session.accept(answer: answer, now: pair.now) }
  }

  @Test func `the first offer waits as long as its owner, and goes before the peer's`() throws {
    let pair = try SessionPair()
    pair.run(for: .seconds(60))
    #expect(pair.caller.session.restartICE(now: pair.now) == nil)
    let offer = OfferTemplate().text
    #expect(throws: PeerSessionError.self) { try pair.caller.session.renegotiate(offer: offer, now: pair.now) }
    #expect(pair.caller.end == nil)
  }

  @Test func `a peer with another certificate than it announced is refused`() throws {
    let pair = try SessionPair()
    var answer = try #require(pair.callee.session.localDescription.split(separator: "a=fingerprint:sha-256 ").last)
    answer = answer.prefix(5)
    let other = pair.callee.session.localDescription.replacing("sha-256 \(answer)", with: "sha-256 00:00")
    try pair.caller.session.accept(answer: other, now: pair.now)
    pair.run(for: .seconds(5))
    guard case .dtlsFailed = pair.caller.end else {
      Issue.record("\(pair.caller.events)")
      return
    }
  }
}
