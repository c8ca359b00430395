import CNetworkNamespace
import DTLSEngine
import Glibc
import MediaCore
import OpenSSLCrypto
import RealtimeRuntime
import SRTPCrypto
import Testing

@testable import NetworkLoop

@Suite(.serialized, .enabled(if: geteuid() == 0, "interfaces can be changed by root alone"))
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
    let namespace = try Namespace { try Self.makeLoop(TransportAddress(ipv4: 0, port: 0)) }
    defer { namespace.value.stop() }
    #expect(try await namespace.offers(Self.first) == false)
    namespace.add(Self.first)
    try await namespace.waitUntil { try await namespace.offers(Self.first) }
    namespace.add(Self.second)
    try await namespace.waitUntil { try await namespace.offers(Self.second) }
    #expect(try await namespace.offers(Self.first) == false)
  }

  @Test func `a socket whose address goes is told once, and when it is back`() async throws {
    let address = TransportAddress(ipv4: Self.first, port: 0)
    let namespace = try Namespace(before: { cnamespace_add_address($0, Self.first) }) { try Self.makeLoop(address) }
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
    #expect(socket.failures.takeNews() == ENETUNREACH)
    #expect(socket.failures.takeNews() == nil)
  }

  private static func makeLoop(_ address: TransportAddress) throws -> NetworkLoop {
    try NetworkLoop(configuration: NetworkLoopConfiguration(addresses: [address], cname: "test")) {
      (OpenSSLCrypto(), try DTLSEngine(identity: DTLSIdentity()), SRTPCrypto())
    }
  }
}

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
      precondition(control >= 0 && prepare(control) == 0, "no network namespace")
      made = Result { try make() }
    }.join()
    _ = try made!.get()
  }

  deinit { close(control) }

  func add(_ ipv4: UInt32) { #expect(cnamespace_add_address(control, ipv4) == 0) }
  func set(isUp: Bool) { #expect(cnamespace_set_up(control, isUp ? 1 : 0) == 0) }

  /// Waits for what the kernel tells asynchronously.
  func waitUntil(_ isDone: () async throws -> Bool) async throws {
    for _ in 0..<100 {
      if try await isDone() { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("it did not happen within 5 s")
  }
}

extension Namespace where Value == NetworkLoop {
  /// Whether the answer to an offer has the address among its candidates.
  func offers(_ ipv4: UInt32) async throws -> Bool {
    let answer = try await value.answer(sessionID: "test", offer: offer, publish: [.audio], subscribe: [])
    value.hangUp(sessionID: "test")
    return answer.contains(" \(TransportAddress(ipv4: ipv4, port: 0).host) ")
  }
}

private let offer = [
  "v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE a", "m=audio 9 UDP/TLS/RTP/SAVPF 111",
  "c=IN IP4 0.0.0.0", "a=ice-ufrag:peer", "a=ice-pwd:0123456789abcdefghijklmn",
  "a=fingerprint:sha-256 " + Array(repeating: "AB", count: 32).joined(separator: ":"), "a=setup:actpass", "a=mid:a",
  "a=recvonly", "a=rtcp-mux", "a=rtpmap:111 opus/48000/2",
].map { $0 + "\r\n" }.joined()
