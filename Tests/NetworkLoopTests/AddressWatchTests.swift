import CTestSupport
import Glibc
import ICE
import MediaCore
import PeerSession
import RealtimeRuntime
import Signalling
import SystemSupport
import TestSupport
import Testing

@testable import NetworkLoop

@Suite(.serialized, .timeLimit(.minutes(1)), .enabled(if: isNamespaceAllowed, "network namespaces need CAP_SYS_ADMIN"))
struct AddressWatchTests {
  private static let first: UInt32 = 0x0A01_0203
  private static let second: UInt32 = 0x0A01_0204

  @Test func `changes are waited for until the bustle has passed, but not longer`() throws {
    let namespace = try Namespace { try AddressWatch() }
    let watch = namespace.value
    let start = MonotonicInstant(nanoseconds: 1_000_000_000)
    watch.receive(now: start)
    #expect(watch.deadline == .distantFuture)
    namespace.add(Self.first)
    watch.receive(now: start)
    namespace.add(Self.second)
    watch.receive(now: start + .milliseconds(400))
    #expect(watch.deadline == start + .milliseconds(500))
    #expect(!watch.takeDue(now: start + .milliseconds(499)))
    #expect(watch.takeDue(now: start + .milliseconds(500)))
    #expect(watch.deadline == .distantFuture)
  }

  @Test func `new sessions offer the addresses that the machine has now`() async throws {
    let namespace = try Namespace { try makeLoop(TransportAddress(ipv4: 0, port: 0)) }
    defer { namespace.value.stop() }
    #expect(try await namespace.value.offers(Self.first) == false)
    namespace.add(Self.first)
    try await eventually { try await namespace.value.offers(Self.first) }
    namespace.add(Self.second)
    try await eventually { try await namespace.value.offers(Self.second) }
    #expect(try await namespace.value.offers(Self.first) == false)
  }

  @Test func `a socket whose address goes is told once, and when it is back`() async throws {
    let address = TransportAddress(ipv4: Self.first, port: 0)
    let namespace = try Namespace(before: { cnamespace_add_address($0, Self.first) }) { try makeLoop(address) }
    let loop = namespace.value
    let bound = loop.boundAddresses[0]
    defer { loop.stop() }
    namespace.set(isUp: false)
    var notices = loop.notices.makeAsyncIterator()
    #expect(await notices.next() == .addressLost(bound))
    namespace.set(isUp: true)
    #expect(await notices.next() == .addressReturned(bound))
  }

  @Test func `what no route leads to is lost and told once`() throws {
    let namespace = try Namespace { try UDPSocket(TransportAddress(ipv4: 0, port: 0)) }
    let socket = namespace.value
    let octets: [UInt8] = [1, 2, 3]
    for _ in 0..<5 {
      socket.send(
        octets.span.bytes, from: TransportAddress(ipv4: 0, port: 0), to: TransportAddress(ipv4: 0xC000_0201, port: 9))
      socket.flush()
    }
    #expect(socket.failures.count == 5)
    #expect(socket.failures.takeUnreported() == ENETUNREACH)
    #expect(socket.failures.takeUnreported() == nil)
  }

  /// Offers a call that may be relayed; returns the server's URL.
  private func offerRelayed(through loop: NetworkLoop, by server: LoopbackServer) async throws -> String {
    // An address of the interface's network, which is all this machine's own.
    let url = "turn:10.9.9.9:\(server.port)"
    _ = try await loop.offer(session: "call", publish: [.audio], subscribe: [])
    loop.addServers([ICEServer(urls: [url], username: "olga", credential: "secret")], session: "call")
    return url
  }

  @Test func `a link whose address is gone is made anew from the new one`() async throws {
    let namespace = try Namespace(before: { cnamespace_add_address($0, Self.first) }) {
      (try makeLoop(TransportAddress(ipv4: 0, port: 0)), try LoopbackServer(isStream: false, host: 0))
    }
    let (loop, server) = namespace.value
    defer { loop.stop() }
    let url = try await offerRelayed(through: loop, by: server)
    #expect(server.nextSenderHost() == Self.first)
    namespace.add(Self.second)
    var host = server.nextSenderHost()
    // What is repeated leaves from the address of before until the change is heard of.
    for _ in 0..<10 where host == Self.first { host = server.nextSenderHost() }
    #expect(host == Self.second)
    var notices = loop.notices.makeAsyncIterator()
    #expect(await notices.next()?.description.contains("\(url): is reached again") == true)
  }

  @Test func `a cable that is out for a while costs no link`() async throws {
    let namespace = try Namespace(before: { cnamespace_add_address($0, Self.first) }) {
      (try makeLoop(TransportAddress(ipv4: 0, port: 0)), try LoopbackServer(isStream: false, host: 0))
    }
    let (loop, server) = namespace.value
    defer { loop.stop() }
    _ = try await offerRelayed(through: loop, by: server)
    let port = server.nextSender()
    namespace.set(isUp: false)
    try await eventually { try await !loop.offers(Self.first) }
    namespace.set(isUp: true)
    try await eventually { try await loop.offers(Self.first) }
    #expect(server.nextSender() == port, "what is repeated leaves from the socket of before")
  }

  @Test func `a link that leaves from where the kernel would choose is let alone, whatever is a candidate`() throws {
    let namespace = try Namespace(before: { cnamespace_add_address($0, Self.first) }) {
      let link = try makeLink("turn:10.9.9.9")
      link.connect(to: [TransportAddress(ipv4: 0x0A09_0909, port: 9)], now: MonotonicInstant(nanoseconds: 0))
      return link.standing(among: LocalAddresses(interfaces: []))
    }
    #expect(namespace.value == .unaffected)
  }

  @Test func `an answer goes on waiting for a relay that is reached again`() async throws {
    let namespace = try Namespace(before: { cnamespace_add_address($0, Self.first) }) {
      (try makeLoop(TransportAddress(ipv4: 0, port: 0)), try LoopbackServer(isStream: false, host: 0))
    }
    let (loop, server) = namespace.value
    defer { loop.stop() }
    let servers = [
      ICEServer(urls: ["turn:10.9.9.9:\(server.port)"], username: "olga", credential: "secret")
    ]
    let clock = ContinuousClock()
    let begin = clock.now
    async let answer = loop.answer(
      session: "call", offer: soundOffer(trickles: false), publish: [.audio], subscribe: [], servers: servers)
    #expect(server.nextSenderHost() == Self.first)
    namespace.add(Self.second)
    #expect(try await answer.sdp.contains("a=candidate:"))
    #expect(clock.now - begin >= .milliseconds(1_950))
  }

  @Test func `a running session offers a restart when an address comes`() async throws {
    let namespace = try Namespace(before: { cnamespace_add_address($0, Self.first) }) {
      let wildcard = TransportAddress(ipv4: 0, port: 0)
      return (try makeLoop(wildcard), try makeLoop(wildcard))
    }
    let (caller, callee) = namespace.value
    defer { [caller, callee].forEach { $0.stop() } }
    var events = try await connect(caller, callee).makeAsyncIterator()
    while let event = await events.next(), event.event != .connected {}
    namespace.add(Self.second)
    var offer: String?
    while offer == nil, let event = await events.next() {
      if case .offerMade(let sdp) = event.event { offer = sdp }
    }
    #expect(offer?.contains("a=ice-ufrag:") == true)
    #expect(await caller.statistics()["call"]?.isConnected == true)
  }
}

private let isNamespaceAllowed = (try? Namespace { true }) != nil

/// Something that was made in a network namespace of its own.
///
/// Safety: the value is made by one thread, which ends before anybody else sees it.
private final class Namespace<Value>: @unchecked Sendable {
  private(set) var control: CInt = -1
  private var made: Result<Value, any Error>?

  var value: Value { try! made!.get() }

  init(before prepare: @escaping @Sendable (CInt) -> CInt = { _ in 0 }, _ make: @escaping @Sendable () throws -> Value)
    throws
  {
    try MediaThread(name: "namespace") { [self] in
      control = cnamespace_enter()
      made = Result {
        guard control >= 0, prepare(control) == 0 else { throw SystemCallError.last("unshare") }
        return try make()
      }
    }.join()
    _ = try made!.get()
  }

  deinit { if control >= 0 { close(control) } }

  func add(_ ipv4: UInt32) { #expect(cnamespace_add_address(control, ipv4) == 0) }
  func set(isUp: Bool) { #expect(cnamespace_set_up(control, isUp ? 1 : 0) == 0) }
}

extension NetworkLoop {
  /// Whether an offer has the address among its candidates.
  fileprivate func offers(_ ipv4: UInt32) async throws -> Bool {
    let offer = try await offer(session: "test", publish: [.audio], subscribe: []).sdp
    hangUp(session: "test")
    return offer.contains(" \(TransportAddress(ipv4: ipv4, port: 0).host) ")
  }
}
