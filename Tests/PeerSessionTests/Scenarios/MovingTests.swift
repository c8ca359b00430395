import ICE
import MediaCore
import PeerSession
import RTP
import Testing

/// Peers that move, and paths that die and come back.
@Suite struct MovingTests {
  private static let moved = TransportAddress(ipv4: 0xCB00_7109, port: 4_242)
  private static let again = TransportAddress(ipv4: 0xCB00_7109, port: 4_243)
  private static let stranger = TransportAddress(ipv4: 0xC0A8_0001, port: 7_000)

  /// A call that has run for ten seconds, the session controlling ICE or not.
  private func makeScenario(isControlling: Bool, hasOtherAddress: Bool = false) throws -> Scenario {
    // Which side controls where both leave it to the other is decided by their random tie-breakers.
    for seed in 1...20 as ClosedRange<UInt64> {
      let scenario = try Scenario(
        seed: seed,
        setUp: {
          $0.isPeerControlled = isControlling
          $0.hasOtherAddress = hasOtherAddress
        }, network: { $0.oneWay = .milliseconds(50) })
      guard (scenario.call.peer.agent.role == .controlled) == isControlling else { continue }
      scenario.broadcast.run(for: .seconds(10))
      return scenario
    }
    throw NoSuchSeed()
  }

  private struct NoSuchSeed: Error {}

  /// How long it takes until each direction has brought new pictures for so long.
  private func gap(_ scenario: Scenario, within span: TimeSpan) -> (outgoing: TimeSpan, incoming: TimeSpan) {
    let start = scenario.call.now
    scenario.broadcast.run(for: span)
    let measured = scenario.figures(since: start)
    return (measured.outgoing.longestFreeze, measured.incoming.longestFreeze)
  }

  @Test(arguments: [false, true]) func `media follows a peer whose address changes`(isControlling: Bool) throws {
    let scenario = try makeScenario(isControlling: isControlling)
    for address in [Self.moved, Self.again] {
      scenario.call.network.translator = Translator(inside: Call.peerAddress, outside: address)
      let gap = gap(scenario, within: .seconds(6))
      #expect(gap.outgoing <= .milliseconds(1_500) && gap.incoming <= .milliseconds(500), "\(gap)")
    }
    #expect(scenario.call.end == nil)
  }

  @Test(arguments: [false, true]) func `media follows a session whose address changes`(isControlling: Bool) throws {
    let scenario = try makeScenario(isControlling: isControlling)
    scenario.call.network.translator = Translator(inside: Call.sessionAddress, outside: Self.moved)
    let gap = gap(scenario, within: .seconds(6))
    #expect(gap.outgoing <= .milliseconds(500) && gap.incoming <= .milliseconds(1_500), "\(gap)")
  }

  /// From one network to another with a second of nothing between, through loss.
  @Test(arguments: [false, true]) func `media goes on after a change of networks`(isControlling: Bool) throws {
    let scenario = try makeScenario(isControlling: isControlling)
    scenario.call.network.darkAddresses = [Call.peerAddress]
    scenario.broadcast.run(for: .seconds(1))
    scenario.call.network.darkAddresses = []
    scenario.call.network.lossPercent = 5
    scenario.call.network.translator = Translator(inside: Call.peerAddress, outside: Self.moved)
    let gap = gap(scenario, within: .seconds(8))
    #expect(gap.outgoing <= .seconds(3) && gap.incoming <= .seconds(3), "\(gap)")
  }

  @Test(arguments: [false, true]) func `another path takes over when one dies`(isControlling: Bool) throws {
    let scenario = try makeScenario(isControlling: isControlling, hasOtherAddress: true)
    scenario.call.network.darkAddresses = [Call.sessionAddress]
    let gap = gap(scenario, within: .seconds(8))
    #expect(gap.outgoing <= .milliseconds(3_500) && gap.incoming <= .milliseconds(3_500), "\(gap)")
    #expect(scenario.call.end == nil)
  }

  @Test(arguments: [5, 10] as [Int64]) func `a dark path that comes back needs no restart`(seconds: Int64) throws {
    let scenario = try makeScenario(isControlling: false)
    scenario.call.network.lossPercent = 100
    scenario.broadcast.run(for: .seconds(seconds))
    scenario.call.network.lossPercent = 0
    let gap = gap(scenario, within: .seconds(5))
    #expect(gap.outgoing <= .milliseconds(1_500) && gap.incoming <= .milliseconds(1_500), "\(gap)")
  }

  @Test(arguments: [false, true]) func `darkness for ever ends the session`(isControlling: Bool) throws {
    let scenario = try makeScenario(isControlling: isControlling)
    scenario.call.network.lossPercent = 100
    let start = scenario.call.now
    scenario.call.run(for: .seconds(60)) { scenario.call.end != nil }
    #expect(scenario.call.end == .consentExpired)
    #expect(scenario.call.now - start <= .seconds(31))
    let sent = scenario.call.sentCount
    scenario.broadcast.run(for: .seconds(5))
    #expect(scenario.call.sentCount == sent && scenario.call.session.deadline == .distantFuture)
  }

  /// Somebody on the way repeats each packet from elsewhere, before the original comes.
  @Test func `repeated packets from elsewhere move nothing`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(5))
    var toAnonymous = 0
    let end = call.now + .seconds(20)
    while call.now < end {
      call.peer.sendAudio(now: call.now)
      for datagram in call.peer.outbox { call.inject(datagram.bytes, from: Self.stranger) }
      toAnonymous += call.takeSent(to: Self.stranger)
      call.drain()
      call.run(for: .milliseconds(20))
      toAnonymous += call.takeSent(to: Self.stranger)
    }
    // A thousand packets and more; what went there are checks.
    #expect((1...30).contains(toAnonymous))
    let last = call.peer.receiver.frames.video.last
    #expect(call.now - (last?.arrival ?? call.now) < .milliseconds(100))
  }

  @Test func `a session tells the sources of what proved authentic`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(2))
    let known = (0..<call.session.sourceCount).map { call.session.source(at: $0) }
    #expect(Set(known).isSuperset(of: [TestPeer.audioSSRC.rawValue, TestPeer.videoSSRC.rawValue]))
    let packet: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0x22, 0x22, 0x22, 0x22]
    #expect(PeerSession.source(of: packet.span.bytes) == TestPeer.videoSSRC.rawValue)
    let report: [UInt8] = [0x80, 201, 0, 1, 0x22, 0x22, 0x22, 0x22]
    #expect(PeerSession.source(of: report.span.bytes) == TestPeer.videoSSRC.rawValue)
    for count in 0..<8 {
      let short = Array(packet.prefix(count))
      #expect(PeerSession.source(of: short.span.bytes) == nil)
    }
    let check: [UInt8] = Array(repeating: 0, count: 20)
    #expect(PeerSession.source(of: check.span.bytes) == nil)
  }
}
