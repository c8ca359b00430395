import ICE
import MediaCore
import PeerSession
import SDP
import TestSupport
import Testing

/// Servers that are asked anew within a call.
@Suite struct RegatheringTests {
  private static let first = TURNConnectionID(rawValue: 1)

  // MARK: Relays alone

  @Test func `a relay-only call survives an address that vanishes`() throws {
    let pair = try relayOnly()
    let lost = pair.now
    vanish(1, in: pair)
    pair.run(for: .milliseconds(500))
    #expect(pair.callee.count(.restartNeeded) == 0, "there is nothing to offer yet")
    pair.openRelay(2)
    pair.run(for: .seconds(1)) { pair.callee.count(.restartNeeded) > 0 }
    try restart(pair)
    pair.run(for: .seconds(4))
    #expect(pair.callee.count(.relayAllocated(TURNConnectionID(rawValue: 2))) == 1)
    try expectMedia(pair, since: lost, within: .seconds(2))
    #expect(pair.relay.server.counts.offences.isEmpty)
  }

  @Test func `a call in which no relay comes back ends after 30 s`() throws {
    let pair = try relayOnly()
    let lost = pair.now
    let asked = pair.callee.count(.keyFrameRequested)
    vanish(1, in: pair)
    pair.run(for: .seconds(40)) { pair.callee.end != nil }
    #expect(pair.callee.end == .consentExpired)
    #expect(pair.now - lost <= .seconds(31))
    #expect(pair.callee.count(.keyFrameRequested) == asked, "there is no path that a key frame could take")
    #expect(pair.callee.count(.restartNeeded) == 0)
  }

  @Test func `an offer that got lost while there is no path is made again`() throws {
    let pair = try relayOnly()
    vanish(1, in: pair)
    pair.network.isCut = { from, to in [from, to].contains(SessionPair.callerAddress) }
    pair.openRelay(2)
    pair.run(for: .seconds(1)) { pair.callee.count(.restartNeeded) > 0 }
    #expect(pair.callee.session.restartICE(now: pair.now) != nil)
    pair.run(for: .seconds(12)) { pair.callee.count(.restartNeeded) > 1 }
    pair.network.isCut = { _, _ in false }
    let back = pair.now
    try restart(pair)
    pair.run(for: .seconds(4))
    try expectMedia(pair, since: back, within: .seconds(1))
  }

  @Test func `a relay that is replaced carries on until the path leads elsewhere, and is given back`() throws {
    let pair = try relayOnly()
    let start = pair.now
    pair.openRelay(2, after: 1)
    pair.run(for: .seconds(2))
    #expect(pair.callee.count(.restartNeeded) == 1)
    #expect(pair.callee.count(.relayReplaced(Self.first)) == 0)
    let offer = try #require(pair.callee.session.restartICE(now: pair.now))
    #expect(try SessionDescriptionParser.parse(offer).media[0].candidates.count == 1)
    try pair.callee.session.accept(answer: pair.caller.session.renegotiate(offer: offer, now: pair.now), now: pair.now)
    pair.run(for: .seconds(5))
    #expect(pair.callee.count(.relayReplaced(Self.first)) == 1)
    #expect(pair.relay.server.counts.releases == 1)
    for party in [pair.caller, pair.callee] {
      let arrivals = party.collector.frames.audio.map(\.arrival).filter { $0 > start }
      #expect(zip(arrivals, arrivals.dropFirst()).allSatisfy { $1 - $0 < .milliseconds(100) })
    }
    try expectMedia(pair, since: start, within: .seconds(1))
  }

  @Test func `a move that an unanswered offer stood in the way of is made up for`() throws {
    let pair = try relayOnly()
    #expect(pair.callee.session.restartICE(now: pair.now) != nil)
    pair.openRelay(2, after: 1)
    pair.run(for: .seconds(9))
    #expect(pair.callee.count(.restartNeeded) == 0)
    pair.run(for: .seconds(2))
    #expect(pair.callee.count(.restartNeeded) == 1)
    try restart(pair)
    pair.run(for: .seconds(5))
    #expect(pair.callee.count(.relayReplaced(Self.first)) == 1)
    #expect(pair.callee.count(.restartNeeded) == 1)
  }

  @Test(arguments: Array(stride(from: 0, through: 60, by: 10)))
  func `a move that comes while a restart is under way is made up for`(milliseconds: Int) throws {
    let pair = try relayOnly()
    pair.openRelay(2, after: 1)
    pair.run(for: .milliseconds(Int64(milliseconds)))
    try restart(pair)
    let asked = pair.callee.count(.restartNeeded)
    pair.run(for: .seconds(5)) { pair.callee.count(.restartNeeded) > asked }
    if pair.callee.count(.restartNeeded) > asked { try restart(pair) }
    pair.run(for: .seconds(5))
    #expect(pair.callee.count(.relayReplaced(Self.first)) == 1)
  }

  @Test func `a move whose offer gives way to the peer's is made up for`() throws {
    let pair = try relayOnly()
    pair.openRelay(2, after: 1)
    pair.run(for: .seconds(1))
    #expect(pair.callee.session.restartICE(now: pair.now) != nil)
    // An offer of the peer's that changes nothing, and so restarts nothing.
    _ = try pair.callee.session.renegotiate(offer: pair.firstOffer, now: pair.now)
    pair.drain()
    #expect(pair.callee.count(.restartNeeded) == 2)
    try restart(pair)
    pair.run(for: .seconds(5))
    #expect(pair.callee.count(.relayReplaced(Self.first)) == 1)
  }

  @Test func `the replaced relay is kept while its successor gets no address`() throws {
    let pair = try relayOnly()
    pair.relay.server.rules.refusal = 486
    pair.openRelay(2, after: 1)
    pair.run(for: .seconds(2))
    #expect(pair.callee.count(.relayFailed(TURNConnectionID(rawValue: 2), .refused(code: 486))) == 1)
    #expect(pair.callee.count(.relayReplaced(Self.first)) == 0)
    #expect(pair.callee.count(.restartNeeded) == 0)
    try expectMedia(pair, since: pair.now - .seconds(1), within: .milliseconds(100))
  }

  @Test func `a server that was started anew is found out within seconds`() throws {
    let pair = try relayOnly()
    let lost = pair.now
    pair.relay.server.forget(1)
    let failed = PeerSessionEvent.relayFailed(Self.first, .lost(code: 437))
    pair.run(for: .seconds(10)) { pair.callee.count(failed) > 0 }
    #expect(pair.callee.count(failed) == 1)
    #expect(pair.now - lost < .seconds(8))
  }

  // MARK: Besides other paths

  @Test func `a relay in reserve is replaced without a restart, and given back at once`() throws {
    let (call, rig) = try Call.withServers()
    rig.open(1, isStream: false, in: call)
    call.session.endServers(now: call.now)
    call.connect()
    call.run(for: .seconds(1))
    rig.open(2, isStream: false, after: 1, in: call)
    call.session.endServers(now: call.now)
    call.run(for: .seconds(1))
    #expect(call.count(.relayReplaced(Self.first)) == 1)
    #expect(rig.server.counts.releases == 1)
    #expect(call.count(.restartNeeded) == 0)
    #expect(call.gatheredCandidates.count == 4, "each relay's candidate, and each time their end")
    #expect(call.session.localDescription.occurrences(of: " typ relay") == 1)
  }

  @Test func `the end of candidates is not told again by a server that does not come back`() throws {
    let (call, rig) = try Call.withServers()
    rig.open(1, isStream: false, in: call)
    call.session.endServers(now: call.now)
    call.connect()
    rig.server.rules.isSilent = true
    rig.open(2, isStream: false, in: call)
    call.session.endServers(now: call.now)
    call.run(for: .seconds(20))
    #expect(call.gatheredCandidates.count { $0.isEmpty } == 1)
  }

  @Test func `another address is asked for over the new socket, and takes the place of the old`() throws {
    let (call, _) = try Call.withServers()
    call.session.askReflexiveAddress(of: RelayRig.stunAddress, now: call.now)
    call.connect()
    call.session.changeLocalAddresses([Call.otherAddress], now: call.now)
    call.session.askReflexiveAddress(of: RelayRig.stunAddress, now: call.now)
    call.session.endServers(now: call.now)
    call.run(for: .seconds(1))
    let description = call.session.localDescription
    #expect(description.occurrences(of: " typ srflx") == 1)
    #expect(description.contains("203.0.113.5 41000 typ srflx raddr 10.1.0.1 rport 5000"))
    #expect(call.gatheredCandidates.count { $0.contains("typ srflx raddr 10.1.0.1 ") } == 1)
  }

  @Test func `what a STUN server says later takes the place of what it said before`() throws {
    let (call, rig) = try Call.withServers()
    call.session.askReflexiveAddress(of: RelayRig.stunAddress, now: call.now)
    call.connect()
    rig.reflexive.port = 42_000
    call.session.askReflexiveAddress(of: RelayRig.stunAddress, now: call.now)
    call.drain()
    call.run(for: .seconds(1))
    #expect(call.session.localDescription.occurrences(of: " typ srflx") == 1)
    #expect(call.session.localDescription.contains("203.0.113.5 42000 typ srflx"))
  }

  // MARK: Common

  /// A pair whose callee is reached over its first link.
  private func relayOnly() throws -> SessionPair {
    let pair = try SessionPair(SessionPair.Setup(isCalleeRelayOnly: true))
    pair.openRelay(1)
    pair.run(for: .seconds(1))
    try pair.connect()
    pair.run(for: .seconds(2))
    #expect(pair.caller.isConnected && pair.callee.isConnected)
    return pair
  }

  /// The address that a link leaves from is gone, and the owner has noticed.
  private func vanish(_ link: UInt32, in pair: SessionPair) {
    pair.relay.deadLinks.insert(link)
    pair.callee.session.closeRelay(TURNConnectionID(rawValue: link), now: pair.now)
    pair.drain()
  }

  private func restart(_ pair: SessionPair) throws {
    let offer = try #require(pair.callee.session.restartICE(now: pair.now))
    try pair.callee.session.accept(answer: pair.caller.session.renegotiate(offer: offer, now: pair.now), now: pair.now)
  }

  private func expectMedia(_ pair: SessionPair, since start: MonotonicInstant, within limit: TimeSpan) throws {
    for party in [pair.caller, pair.callee] {
      let next = try #require(party.collector.frames.audio.first { $0.arrival > start + .milliseconds(50) })
      #expect(next.arrival - start <= limit)
      #expect(try pair.now - #require(party.collector.frames.video.last).arrival < .milliseconds(60))
      #expect(party.collector.frames.isDecodable)
      #expect(party.end == nil)
    }
  }
}

extension String {
  /// How often the text occurs.
  fileprivate func occurrences(of text: String) -> Int { ranges(of: text).count }
}
