import ICE
import MediaCore
import PeerSession
import TestSupport
import Testing

@Suite struct RelayCallTests {
  @Test(arguments: [false, true], [0, 5] as [UInt64])
  func `media flows both ways over a relay alone`(isStream: Bool, lossPercent: UInt64) throws {
    let (call, rig) = try relayOnly(isStream: isStream)
    call.network.lossPercent = lossPercent
    call.connect()
    #expect(call.connectedAt != nil)
    call.run(for: .seconds(5))
    expectMedia(call, losesNothing: lossPercent == 0)
    #expect(rig.server.counts.channelBinds == 1)
    #expect(rig.server.counts.channelDataIn > 300)
    #expect(rig.server.counts.offences.isEmpty)
    #expect(call.sentCount == 0, "nothing may leave from a shared socket")
  }

  @Test(arguments: [false, true])
  func `media flows between two relays`(isStream: Bool) throws {
    let rig = RelayRig(relaysPeer: true)
    let (call, _) = try relayOnly(isStream: isStream, rig, isReal: true)
    call.connect()
    call.run(for: .seconds(5))
    expectMedia(call, losesNothing: true)
    #expect(rig.server.counts.offences.isEmpty)
  }

  @Test func `without a policy the direct path wins, and the relay stays in reserve`() throws {
    let (call, rig) = try call()
    rig.open(1, isStream: false, in: call)
    call.connect()
    call.run(for: .seconds(2))
    #expect(rig.server.counts.allocations == 1)
    #expect(rig.server.counts.channelBinds == 0)
    expectMedia(call, losesNothing: true)
  }

  @Test func `a nonce that goes stale interrupts nothing`() throws {
    let (call, rig) = try relayOnly(isStream: false)
    call.connect()
    rest(call, for: .seconds(235))
    rig.server.makeNoncesStale()
    call.run(for: .seconds(10))
    #expect(rig.server.counts.staleNonces == 1)
    #expect(call.collector.frames.audio.suffix(400).allSatisfy { call.now - $0.arrival < .seconds(9) })
    rest(call, for: .seconds(600))
    rig.server.makeNoncesStale()
    rest(call, for: .seconds(600))
    #expect(rig.server.counts.refreshes == 2)
    #expect(call.end == nil)
  }

  @Test(arguments: [false, true])
  func `a relay lasts for half an hour of silence`(isStream: Bool) throws {
    let (call, rig) = try relayOnly(isStream: isStream)
    call.connect()
    rest(call, for: .seconds(1_800))
    #expect(call.end == nil)
    #expect(rig.server.counts.allocations == 1)
    #expect((3...4).contains(rig.server.counts.refreshes))
    #expect(rig.server.counts.offences.isEmpty)
    let count = call.collector.frames.audio.count
    call.run(for: .seconds(1))
    #expect(call.collector.frames.audio.count >= count + 45)
  }

  @Test func `closing gives the allocation back`() throws {
    let (call, rig) = try relayOnly(isStream: true, isReal: true)
    call.connect()
    call.session.close(now: call.now)
    call.drain()
    call.run(for: .seconds(1))
    #expect(rig.server.counts.releases == 1)
    #expect(call.peer.isDTLSClosed)
    #expect(call.session.deadline == .distantFuture)
  }

  @Test func `with relays alone, checks at a shared socket are not answered`() throws {
    let (call, rig) = try relayOnly(isStream: false)
    call.peer.addRemoteCandidate("candidate:9 1 udp 2130706431 10.0.0.1 5000 typ host", now: call.now)
    call.session.askReflexiveAddress(of: RelayRig.stunAddress, now: call.now)
    call.connect()
    call.run(for: .seconds(2))
    #expect(call.sentCount == 0)
    #expect(rig.server.counts.channelBinds == 1)
    #expect(!call.session.localDescription.contains("10.0.0.1"))
    #expect(call.session.localDescription.contains(" typ relay raddr 0.0.0.0 rport 0\r\n"))
  }

  // MARK: Relays that fail

  @Test func `a broken link in the middle of a call leads to another path at once`() throws {
    let (call, rig) = try call()
    let direct = { (from: TransportAddress, to: TransportAddress) in
      from == Call.sessionAddress || to == Call.sessionAddress
    }
    call.network.isCut = direct
    rig.open(1, isStream: true, in: call)
    call.connect()
    call.run(for: .seconds(40))
    #expect(rig.server.counts.channelDataIn > 1_000)
    call.network.isCut = { _, _ in false }
    call.session.closeRelay(TURNConnectionID(rawValue: 1), now: call.now)
    rig.server.forget(1)
    call.drain()
    let (start, count) = (call.now, call.peer.receiver.frames.audio.count)
    call.run(for: .seconds(1))
    #expect(call.peer.receiver.frames.audio.count > count + 30)
    #expect(
      call.peer.receiver.frames.audio.contains { $0.arrival - start > .zero && $0.arrival - start < .milliseconds(300) }
    )
    call.run(for: .seconds(60))
    #expect(call.end == nil)
    #expect(call.collector.frames.audio.suffix(100).allSatisfy { call.now - $0.arrival < .seconds(3) })
    #expect(call.count(.restartNeeded) == 0)
  }

  @Test func `without any other path a restart is asked for once there is a relay again`() throws {
    let (call, rig) = try relayOnly(isStream: true)
    call.connect()
    call.session.closeRelay(TURNConnectionID(rawValue: 1), now: call.now)
    call.drain()
    #expect(call.count(.restartNeeded) == 0)
    call.network.isCut = { from, to in [from, to].contains(Call.peerAddress) }
    rig.open(2, isStream: true, in: call)
    call.run(for: .seconds(40))
    #expect(call.count(.restartNeeded) == 1)
    #expect(call.end == .consentExpired)
  }

  @Test func `a second relay takes the place of the first`() throws {
    let (call, rig) = try relayOnly(isStream: false)
    rig.open(2, isStream: true, in: call)
    call.connect()
    call.run(for: .seconds(5))
    call.session.closeRelay(TURNConnectionID(rawValue: 1), now: call.now)
    call.drain()
    let count = call.peer.receiver.frames.audio.count
    call.run(for: .seconds(1))
    #expect(call.peer.receiver.frames.audio.count > count + 30)
    // The peer needs unanswered checks to notice.
    call.run(for: .seconds(20))
    #expect(call.end == nil)
    #expect(call.count(.restartNeeded) == 0)
    #expect(call.collector.frames.audio.suffix(100).allSatisfy { call.now - $0.arrival < .seconds(3) })
    #expect(rig.server.counts.channelBinds == 2)
  }

  @Test func `an allocation that a server forgets is noticed and told`() throws {
    let (call, rig) = try relayOnly(isStream: false)
    call.connect()
    rig.server.rules.refreshRefusal = 437
    rest(call, for: .seconds(520))
    #expect(call.count(.relayFailed(TURNConnectionID(rawValue: 1), .lost(code: 437))) == 1)
    #expect(call.end == nil)
  }

  @Test func `garbage on a stream ends the relay, not the call`() throws {
    let (call, rig) = try call()
    rig.open(1, isStream: true, in: call)
    call.connect()
    call.inject(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), over: TURNConnectionID(rawValue: 1))
    #expect(call.count(.relayFailed(TURNConnectionID(rawValue: 1), .malformedStream)) == 1)
    call.run(for: .seconds(2))
    expectMedia(call, losesNothing: true)
  }

  // MARK: Common

  private func call(
    _ rig: RelayRig = RelayRig(), policy: ICETransportPolicy = .all, isReal: Bool = false
  ) throws -> (Call, RelayRig) {
    var setup = Call.Setup()
    setup.isReal = isReal
    setup.servers = rig
    setup.transportPolicy = policy
    return (try Call(setup), rig)
  }

  /// Lets time pass without media.
  private func rest(_ call: Call, for span: TimeSpan) {
    (call.sessionSends, call.peerSends) = (false, false)
    call.run(for: span)
    (call.sessionSends, call.peerSends) = (true, true)
  }

  private func relayOnly(
    isStream: Bool, _ rig: RelayRig = RelayRig(), isReal: Bool = false
  ) throws -> (Call, RelayRig) {
    let (call, rig) = try call(rig, policy: .relay, isReal: isReal)
    rig.open(1, isStream: isStream, in: call)
    return (call, rig)
  }

  private func expectMedia(_ call: Call, losesNothing: Bool) {
    for frames in [call.collector.frames, call.peer.receiver.frames] {
      #expect(frames.isIntactAndInOrder(.video))
      #expect(frames.isIntactAndInOrder(.audio))
      #expect(frames.isDecodable)
      #expect(frames.video.count >= (losesNothing ? 40 : 20))
      #expect(frames.audio.count >= (losesNothing ? 80 : 60))
    }
  }
}
