import ICE
import MediaCore
import PeerSession
import TestSupport
import Testing

@Suite struct GatheringTests {
  private static let srflx =
    "1 udp 1694498815 203.0.113.5 41000 typ srflx raddr 10.0.0.1 rport 5000"
  private static let relay = "1 udp 16777215 192.0.2.1 50001 typ relay raddr 0.0.0.0 rport 0"

  @Test func `candidates are told as servers answer, and then their end`() throws {
    let (call, rig) = try Call.withServers()
    #expect(!call.session.localDescription.contains("a=end-of-candidates"))
    call.session.askReflexiveAddress(of: RelayRig.stunAddress, now: call.now)
    rig.open(1, isStream: false, in: call)
    call.session.endServers(now: call.now)
    call.drain()
    call.run(for: .seconds(1))
    let told = call.gatheredCandidates
    #expect(told.count == 3)
    #expect(told[0].hasPrefix("candidate:") && told[0].hasSuffix(Self.srflx), "\(told[0])")
    #expect(told[1].hasPrefix("candidate:") && told[1].hasSuffix(Self.relay), "\(told[1])")
    #expect(told[2].isEmpty)
    for line in told.dropLast() { #expect(call.session.localDescription.contains("a=\(line)\r\n")) }
    #expect(call.session.localDescription.contains("a=end-of-candidates"))
    #expect(call.session.localDescription.contains("10.0.0.1 5000 typ host"))
  }

  @Test func `the end waits until no more servers will be named`() throws {
    let (call, _) = try Call.withServers()
    call.session.askReflexiveAddress(of: RelayRig.stunAddress, now: call.now)
    call.drain()
    call.run(for: .seconds(8))
    #expect(call.gatheredCandidates.count == 1)
    call.session.endServers(now: call.now)
    call.drain()
    #expect(call.gatheredCandidates.last == "")
  }

  @Test(arguments: [false, true])
  func `servers that do not answer hold up the end for five seconds`(isStream: Bool) throws {
    let (call, rig) = try Call.withServers()
    rig.server.rules.isSilent = true
    let start = call.now
    call.session.askReflexiveAddress(of: TransportAddress(ipv4: 0xC000_0209, port: 9), now: call.now)
    rig.open(1, isStream: isStream, in: call)
    call.session.endServers(now: call.now)
    call.run(for: .seconds(15))
    let end = try #require(call.events.first { $0.event == .candidateGathered("") })
    #expect(end.at - start == .seconds(5))
    #expect(call.count(.relayFailed(TURNConnectionID(rawValue: 1), .noAnswer)) == 1)
    #expect(call.connectedAt.map { $0 - start < .seconds(1) } == true)
    #expect(call.end == nil)
  }

  @Test func `refused credentials are told once, and never named`() throws {
    let (call, rig) = try Call.withServers()
    rig.open(1, isStream: true, password: "swordfish", in: call)
    call.session.endServers(now: call.now)
    call.run(for: .seconds(2))
    #expect(call.count(.relayFailed(TURNConnectionID(rawValue: 1), .credentialsRefused)) == 1)
    #expect(call.gatheredCandidates == [""])
    #expect(!call.events.contains { "\($0.event)".contains("swordfish") })
    let server = TURNServerEndpoint(
      address: RelayRig.turnAddress, isStream: true, isSecure: true, username: "camera", password: "swordfish")
    #expect("\(server) \([server])" == "192.0.2.1:3478 over TLS [192.0.2.1:3478 over TLS]")
  }

  @Test func `a reflexive answer is lost twice and found in the end`() throws {
    let (call, _) = try Call.withServers()
    call.network.isCut = { _, to in to == RelayRig.stunAddress }
    call.session.askReflexiveAddress(of: RelayRig.stunAddress, now: call.now)
    call.drain()
    call.run(for: .seconds(1))
    call.network.isCut = { _, _ in false }
    call.run(for: .seconds(3))
    #expect(call.gatheredCandidates.count == 1)
  }

  @Test func `streams and TLS come after datagrams`() throws {
    let (call, rig) = try Call.withServers()
    rig.open(1, isStream: false, in: call)
    rig.open(2, isStream: true, in: call)
    call.run(for: .seconds(1))
    let priorities = call.gatheredCandidates.map { $0.split(separator: " ")[3] }
    #expect(priorities == ["16777215", "8388607"])
  }

  @Test func `what cannot be used of the peer's candidates is passed over`() throws {
    var setup = Call.Setup()
    setup.isReal = false
    setup.hasCandidates = false
    setup.offer.candidates = [
      "candidate:1 1 udp 2122260223 0a1b2c3d-0000-4000-8000-00000000abcd.local 50000 typ host",
      "candidate:2 1 tcp 1518280447 10.0.0.2 9 typ host tcptype active",
      "candidate:3 1 UDP 2122260222 Camera.LOCAL 50000 typ host",
    ]
    let call = try Call(setup)
    call.session.addRemoteCandidate("candidate:4 1 udp 2122260223 x.local 50001 typ host", now: call.now)
    call.session.addRemoteCandidate("candidate:5 1 tcp 1 192.0.2.9 443 typ relay raddr 0.0.0.0 rport 0", now: call.now)
    call.drain()
    #expect(call.sentCount == 0)
    call.connect()
    #expect(call.connectedAt != nil)
  }
}
