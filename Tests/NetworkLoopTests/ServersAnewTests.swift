import DTLSEngine
import ICE
import MediaCore
import OpenSSLCrypto
import PeerSession
import RealtimeRuntime
import SRTPCrypto
import Synchronization
import TLSClient
import Testing

@testable import NetworkLoop

/// What the network thread does about servers that are asked anew, step by step.
@Suite struct ServersAnewTests {
  @Test func `of two links to a relay only the last one's failure is told, and that it works again`() async throws {
    let server = try LoopbackServer(isStream: false)
    let stage = try ServerStage(NameResolver { _ in })
    stage.name(["turn:127.0.0.1:\(server.port)"])
    let relay = try #require(stage.running.servers.list.relays.first)
    stage.thread.open(relay, for: stage.running, now: MonotonicClock.now())
    stage.failFirstLink("no answer")
    #expect(stage.thread.relays.retries.isEmpty)
    stage.failFirstLink("gone")
    let retry = try #require(stage.thread.relays.retries.first)
    for _ in 0..<2 {
      stage.thread.open(relay, after: retry.failures, for: stage.running, now: MonotonicClock.now())
    }
    for link in stage.thread.relays.all {
      stage.thread.noteService(of: link, for: stage.running, now: MonotonicClock.now())
    }
    let relayName = "relay \(relay.url)"
    #expect(await stage.takeNotices() == ["\(relayName): gone", "\(relayName): works again"])
  }

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
    stage.thread.renewReflexiveAddresses(now: MonotonicClock.now())
    #expect(stage.hasEndedCandidates)
    #expect(stage.running.servers.pendingCount == 0)
  }
}

/// A network thread that does not run, and a session of it that has made an offer.
private struct ServerStage {
  let thread: NetworkThread
  let running: RunningSession
  private let notices: AsyncStream<NetworkNotice>

  init(_ resolver: NameResolver) throws {
    let (_, events) = AsyncStream.makeStream(of: NetworkEvent.self)
    let (notices, noticing) = AsyncStream.makeStream(of: NetworkNotice.self)
    self.notices = notices
    thread = try NetworkThread(
      NetworkThreadStart(
        sockets: [], addressWatch: nil, localAddresses: LocalAddresses(interfaces: []),
        configuration: NetworkLoopConfiguration(addresses: [], cname: "device"),
        crypto: (OpenSSLCrypto(), SessionStage.engines[0], SRTPCrypto()), frames: try FrameInbox(),
        commands: try NetworkCommandQueue(), rounds: SharedCounter(), events: events, notices: noticing,
        tls: try TLSClient(), resolver: resolver))
    try thread.open(
      OpenCommand(sessionID: "s", offer: nil, publish: [.audio], subscribe: [], servers: []) { _ in })
    running = try #require(thread.table["s"])
  }

  func name(_ urls: [String]) {
    let servers = [ICEServerDescription(urls: urls, username: "olga", credential: "secret")]
    thread.open(servers, for: running, now: MonotonicClock.now())
  }

  func failFirstLink(_ reason: String) {
    thread.relays.all.first?.fail(reason)
    thread.runRelays()
  }

  /// Whether the session has told that no more candidates will come.
  var hasEndedCandidates: Bool { running.session.localDescription.contains("a=end-of-candidates") }

  /// What was told; nothing is told afterwards.
  func takeNotices() async -> [String] {
    thread.start.notices.finish()
    var texts: [String] = []
    for await notice in notices { texts.append(notice.description) }
    return texts
  }
}
