import MediaCore
import PeerSession
import Testing
import TransportCrypto

@Suite struct ConnectingTests {
  @Test(arguments: [DTLSRole.server, .client], [true, false])
  func `connects within four round trips of the answer`(role: DTLSRole, hasCandidates: Bool) throws {
    var setup = Call.Setup()
    setup.role = role
    setup.hasCandidates = hasCandidates
    let call = try Call(setup)
    call.network.oneWay = .milliseconds(50)
    let start = call.now
    call.connect()
    let connectedAt = try #require(call.connectedAt)
    #expect(connectedAt - start <= .milliseconds(400))
    #expect(try #require(call.peer.connectedAt) - start <= .milliseconds(450))
    #expect(call.session.statistics.isConnected)
    #expect(call.events.map(\.event) == [.connected, .bitrateEstimated(.kilobits(2_500)), .keyFrameRequested])
    #expect(call.session.localDescription.contains(role == .client ? "a=setup:active" : "a=setup:passive"))
  }

  enum Obstacle: CaseIterable { case hiddenAddresses, noAddresses, silence, noHandshake, none }

  @Test(arguments: Obstacle.allCases)
  func `a path that is missing for eight seconds is reported with its cause`(obstacle: Obstacle) throws {
    var setup = Call.Setup()
    setup.hasCandidates = obstacle == .silence || obstacle == .none
    if obstacle == .hiddenAddresses {
      setup.offer.candidates = ["candidate:1 1 udp 2130706431 6c1f1ac2-9a8c-4c8c-8d4a-1f5f2b1f5d11.local 9000 typ host"]
    }
    let call = try Call(setup)
    call.peer.isSilent = obstacle != .noHandshake && obstacle != .none
    call.peer.dropsDTLS = obstacle == .noHandshake
    call.run(for: .milliseconds(7_900))
    func problems() -> [PathProblem] {
      call.events.compactMap { if case .pathMissing(let problem) = $0.event { problem } else { nil } }
    }
    #expect(problems().isEmpty)
    call.run(for: .seconds(6))
    let expected: PathProblem? =
      switch obstacle {
      case .hiddenAddresses: .onlyHiddenAddresses
      case .noAddresses: .noAddresses
      case .silence: .noAnswer
      case .noHandshake: .noHandshake
      case .none: nil
      }
    #expect(problems() == [expected].compactMap(\.self))
  }

  @Test(arguments: ["active", "passive"])
  func `takes the DTLS role that the offer leaves`(setup: String) throws {
    var variant = Call.Setup()
    variant.offer.setup = setup
    let call = try Call(variant)
    call.connect()
    #expect(call.connectedAt != nil)
  }

  @Test func `controls a peer that has ICE-lite`() throws {
    var setup = Call.Setup()
    setup.offer.isLite = true
    setup.isPeerControlled = true
    let call = try Call(setup)
    call.peer.isLite = true
    call.connect()
    #expect(call.connectedAt != nil)
    #expect(call.peer.connectedAt != nil)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `connects through loss, reordering and duplicates`(seed: UInt64) throws {
    var setup = Call.Setup()
    setup.seed = seed
    let call = try Call(setup)
    call.network.lossPercent = 20
    call.network.duplicatePercent = 20
    call.network.reordering = .milliseconds(30)
    call.connect()
    #expect(call.connectedAt != nil)
    #expect(call.peer.connectedAt != nil)
  }

  @Test func `connects by a candidate that trickles in`() throws {
    var setup = Call.Setup()
    setup.hasCandidates = false
    let call = try Call(setup)
    call.session.addRemoteCandidate(call.peer.candidateLine, now: call.now)
    for garbage in ["", "candidate:", "candidate:1 1 tcp 1 10.0.0.2 9 typ host", "1 1 udp 1 x.local 9 typ host"] {
      call.session.addRemoteCandidate(garbage, now: call.now)
    }
    call.connect()
    #expect(call.connectedAt != nil)
  }

  @Test func `gives up without a path after 30 s`() throws {
    let call = try Call()
    call.network.lossPercent = 100
    call.run(for: .seconds(31))
    #expect(call.end == .iceFailed)
    #expect(call.session.deadline == .distantFuture)
  }

  @Test func `refuses a peer with another certificate than it announced`() throws {
    var setup = Call.Setup()
    setup.announcesOtherCertificate = true
    let call = try Call(setup)
    call.connect()
    guard case .dtlsFailed(let reason) = call.end else {
      Issue.record("\(call.events)")
      return
    }
    #expect(reason.contains("fingerprint"))
    #expect(call.connectedAt == nil)
  }

  @Test func `a peer that never starts DTLS is given up`() throws {
    let call = try Call()
    call.peer.dropsDTLS = true
    call.run(for: .seconds(60)) { call.end != nil }
    guard case .dtlsFailed = call.end else {
      Issue.record("\(call.events)")
      return
    }
  }
}
