import DTLSSRTP
import ICE
import MediaCore
import OpenSSLCrypto
import PeerSession
import RealtimeRuntime
import Signalling
import Synchronization
import TLSClient
import TestSupport
import Testing

@testable import NetworkLoop

/// What sessions and sockets see of servers, step by step.
@Suite(.timeLimit(.minutes(1))) struct ICEServerDriverTests {
  @Test func `gathering ends although the first of several STUN servers is given up at once`() async throws {
    let isBlocked = Atomic(true)
    let runningCount = Atomic(0)
    let resolver = NameResolver(
      lookUp: { _, _ in
        runningCount.add(1, ordering: .relaxed)
        while isBlocked.load(ordering: .relaxed) { MonotonicClock.sleepBriefly() }
        return .success([])
      }, deliver: { _ in })
    defer { isBlocked.store(false, ordering: .relaxed) }
    for id: UInt32 in 0..<4 { #expect(resolver.resolve("name", port: 1, id: id)) }
    try await eventually { runningCount.load(ordering: .relaxed) == 4 }
    while resolver.resolve("name", port: 1, id: 4) {}
    let stage = try ServerStage(resolver)
    stage.name(["stun:name.invalid", "stun:192.0.2.1"])
    #expect(stage.hasEndedCandidates)
    stage.driver.renewReflexiveAddresses(now: MonotonicClock.now())
    #expect(stage.hasEndedCandidates)
    #expect(stage.driver.deadline == .distantFuture)
  }

  @Test func `a link that breaks is closed and tried again`() async throws {
    let server = try LoopbackServer(isStream: false)
    let stage = try ServerStage(NameResolver { _ in })
    stage.name(["turn:127.0.0.1:\(server.port)"])
    let link = try #require(stage.links.all.first)
    link.fail("gone")
    let now = MonotonicClock.now()
    stage.driver.run(now: now)
    #expect(stage.links.all.isEmpty && link.socket == nil)
    #expect(stage.driver.deadline == now + .seconds(1))
    stage.driver.run(now: now + .seconds(1))
    let second = try #require(stage.links.all.first)
    stage.driver.remove(stage.running, now: now)
    #expect(stage.links.all.isEmpty && second.socket == nil)
    #expect(await stage.takeNotices() == ["relay turn:127.0.0.1:\(server.port): gone"])
  }
}

/// The servers of a session that has made an offer.
private struct ServerStage {
  let driver: ICEServerDriver
  let links = TURNConnections()
  let running: RunningSession
  private let notices: AsyncStream<NetworkNotice>
  private let noticing: AsyncStream<NetworkNotice>.Continuation

  init(_ resolver: NameResolver) throws {
    (notices, noticing) = AsyncStream.makeStream(of: NetworkNotice.self)
    driver = ICEServerDriver(policy: .all, links: links, resolver: resolver, tls: try TLSClient(), notices: noticing)
    let maker = PeerSessionFactory(
      configuration: NetworkLoopConfiguration(addresses: [], cname: "device"),
      crypto: (OpenSSLCrypto(), SessionStage.engines[0], SRTPCrypto()),
      sender: SocketSender(sockets: [], relays: links))
    running = try maker.make(
      OpenCommand(session: "s", offer: nil, publish: [.audio], subscribe: [], servers: []) { _ in },
      localAddresses: [], now: MonotonicClock.now())
  }

  func name(_ urls: [String]) {
    let servers = [ICEServer(urls: urls, username: "olga", credential: "secret")]
    driver.name(servers, for: running, now: MonotonicClock.now())
  }

  /// Whether the session has told that no more candidates will come.
  var hasEndedCandidates: Bool { running.session.localDescription.contains("a=end-of-candidates") }

  /// What was told; nothing is told afterwards.
  func takeNotices() async -> [String] {
    noticing.finish()
    var texts: [String] = []
    for await notice in notices { texts.append(notice.description) }
    return texts
  }
}
