import Glibc
import ICE
import MediaCore
import PeerSession
import RealtimeRuntime
import Signalling
import TLSClient
import Testing

@testable import NetworkLoop

@Suite struct TURNConnectionTests {
  private let now = MonotonicInstant(nanoseconds: 0)
  private let buffer = TURNReceiveBuffer()

  private func connectedLink(_ url: String, to addresses: TransportAddress...) throws -> TURNConnection {
    let link = try makeLink(url)
    link.connect(to: addresses, now: now)
    return link
  }

  /// Lets the link go on as epoll would; returns what it received.
  private func turn(_ link: TURNConnection) -> [UInt8] {
    guard let socket = link.socket, waitUntilReady(socket.fileDescriptor, output: link.wantsOutput) else { return [] }
    var received: [UInt8] = []
    link.handleReady(buffer, now: now) { octets in received += octets.bytes.withUnsafeBytes { Array($0) } }
    return received
  }

  private func failure(_ link: TURNConnection) -> String? {
    guard case .failed(let reason) = link.state else { return nil }
    return reason
  }

  private var isOpen: (TURNConnection) -> Bool {
    { link in
      guard case .open = link.state else { return false }
      return true
    }
  }

  @Test func datagramsTravelBothWays() throws {
    let server = try LoopbackServer(isStream: false)
    let link = try connectedLink("turn:127.0.0.1:\(server.port)", to: server.address)
    #expect(isOpen(link))
    let question: [UInt8] = [1, 2, 3]
    link.send(question.span.bytes)
    #expect(server.connectToSender() == question)
    #expect(send(server.descriptor, [4, 5] as [UInt8], 2, 0) == 2)
    #expect(turn(link) == [4, 5])
  }

  @Test func aServerThatIsNotThereIsNoticed() throws {
    let port = try LoopbackServer(isStream: false).port
    let link = try connectedLink("turn:127.0.0.1:\(port)", to: TransportAddress(ipv4: 0x7F00_0001, port: port))
    link.send(([1] as [UInt8]).span.bytes)
    #expect(turn(link).isEmpty)
    #expect(failure(link)?.hasSuffix("Connection refused") == true)
  }

  @Test func aStreamConnectsAndTravelsBothWays() throws {
    let server = try LoopbackServer(isStream: true)
    let link = try connectedLink("turn:127.0.0.1:\(server.port)?transport=tcp", to: server.address)
    #expect(link.wantsOutput)
    #expect(turn(link).isEmpty)
    #expect(isOpen(link) && !link.wantsOutput)
    let peer = server.acceptOne()
    defer { close(peer) }
    let question = [UInt8](repeating: 9, count: 1_000)
    link.send(question.span.bytes)
    var received = [UInt8](repeating: 0, count: 2_000)
    #expect(recv(peer, &received, 2_000, 0) == 1_000)
    #expect(send(peer, question, 1_000, 0) == 1_000)
    #expect(turn(link) == question)
    shutdown(peer, Int32(SHUT_RDWR))
    _ = turn(link)
    #expect(failure(link) == "the server has closed the connection")
  }

  @Test func theNextAddressIsTriedWhenOneRefuses() throws {
    let server = try LoopbackServer(isStream: true)
    let gone = TransportAddress(ipv4: 0x7F00_0001, port: try LoopbackServer(isStream: true).port)
    let link = try connectedLink("turn:two.example?transport=tcp", to: gone, server.address)
    _ = turn(link)
    #expect(!isOpen(link) && failure(link) == nil)
    _ = turn(link)
    #expect(isOpen(link))
    #expect(link.address == server.address)
  }

  @Test func connectingIsGivenUpAfterFiveSeconds() throws {
    // Nobody takes the third connection of a full queue.
    let server = try LoopbackServer(isStream: true)
    let link = try connectedLink("turn:127.0.0.1:\(server.port)?transport=tcp", to: server.address, server.address)
    link.handleTimeout(now: now + .milliseconds(2_499))
    #expect(failure(link) == nil)
    link.handleTimeout(now: now + .milliseconds(2_500))
    #expect(failure(link) == nil && link.deadline == now + .seconds(5))
    link.handleTimeout(now: now + .seconds(5))
    #expect(failure(link) == "no connection within 2500 ms")
    #expect(link.socket == nil && link.deadline == .distantFuture)
  }

  @Test func aStalledStreamLosesWholeMessagesAndIsNeverTorn() throws {
    let server = try LoopbackServer(isStream: true)
    let link = try connectedLink("turn:127.0.0.1:\(server.port)?transport=tcp", to: server.address)
    _ = turn(link)
    let peer = server.acceptOne()
    defer { close(peer) }
    var sent = 0
    while link.droppedCount < 100 {
      let message = [0x40] + [UInt8](repeating: UInt8(truncatingIfNeeded: sent), count: 999)
      link.send(message.span.bytes)
      sent += 1
      try #require(sent < 100_000)
    }
    #expect(link.wantsOutput)
    let accepted = (sent - link.droppedCount) * 1_000
    let received = readAll(peer, accepted) { if link.wantsOutput { _ = turn(link) } }
    #expect(received.count == accepted)
    let heads = stride(from: 0, to: received.count, by: 1_000).map { received[$0] }
    #expect(heads.allSatisfy { $0 == 0x40 })
  }

  private func readAll(_ peer: CInt, _ count: Int, _ pump: () -> Void) -> [UInt8] {
    var received: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while received.count < count, waitUntilReady(peer) {
      let got = recv(peer, &chunk, chunk.count, 0)
      guard got > 0 else { break }
      received += chunk.prefix(got)
      pump()
    }
    return received
  }

  @Test func aServerThatSpeaksNoTLSIsToldFromOneThatDoes() throws {
    let server = try LoopbackServer(isStream: true)
    let link = try connectedLink("turns:127.0.0.1:\(server.port)", to: server.address)
    _ = turn(link)
    let peer = server.acceptOne()
    defer { close(peer) }
    var hello = [UInt8](repeating: 0, count: 2_000)
    #expect(recv(peer, &hello, 2_000, 0) > 100)
    #expect(hello[0] == 22)
    let answer = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
    #expect(send(peer, answer, answer.count, 0) == answer.count)
    #expect(turn(link).isEmpty)
    #expect(failure(link)?.hasPrefix("TLS: ") == true)
  }

  /// A link by a proxy that has been asked for the way, the proxy's end, and what it was asked.
  private func tunnelled(_ proxy: borrowing LoopbackServer) throws -> (
    link: TURNConnection, peer: CInt, question: String
  ) {
    let route = ProxyRoute(HTTPProxy("user:secret@proxy.example"))
    let link = try makeLink("turns:turn.example:443", route)
    link.connect(to: [proxy.address], now: now)
    _ = turn(link)
    let peer = proxy.acceptOne()
    var question = [UInt8](repeating: 0, count: 2_000)
    let count = recv(peer, &question, 2_000, 0)
    return (link, peer, String(decoding: question.prefix(max(0, count)), as: UTF8.self))
  }

  @Test func aProxyIsAskedForTheWayBeforeTLSBegins() throws {
    let proxy = try LoopbackServer(isStream: true)
    let (link, peer, question) = try tunnelled(proxy)
    defer { close(peer) }
    #expect(question.hasPrefix("CONNECT turn.example:443 HTTP/1.1\r\n") && question.hasSuffix("\r\n\r\n"))
    let answer = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
    #expect(send(peer, answer, answer.count, 0) == answer.count)
    #expect(turn(link).isEmpty && failure(link) == nil)
    var hello = [UInt8](repeating: 0, count: 2_000)
    #expect(recv(peer, &hello, 2_000, 0) > 100)
    #expect(hello[0] == 22)
    // What follows is of TLS, which is not the proxy's to answer.
    #expect(send(peer, answer, answer.count, 0) == answer.count)
    _ = turn(link)
    #expect(failure(link)?.hasPrefix("TLS: ") == true)
  }

  @Test func aProxyThatForbidsTheWayIsReported() throws {
    let proxy = try LoopbackServer(isStream: true)
    let (link, peer, _) = try tunnelled(proxy)
    defer { close(peer) }
    let answer = Array("HTTP/1.1 403 Filtered\r\n\r\n".utf8)
    #expect(send(peer, answer, answer.count, 0) == answer.count)
    _ = turn(link)
    let reason = try #require(failure(link))
    #expect(reason.hasPrefix("the proxy http://proxy.example:3128 forbids the way to turn.example:443 (403)"))
  }

  @Test func onlyTLSGoesThroughAProxy() throws {
    let route = ProxyRoute(HTTPProxy("proxy.example"))
    #expect(route.proxy(to: try ICEServerURL("turns:turn.example")) != nil)
    #expect(route.proxy(to: try ICEServerURL("turn:turn.example?transport=tcp")) == nil)
    #expect(route.proxy(to: try ICEServerURL("turn:turn.example")) == nil)
  }
}

/// A link that is not connected yet.
func makeLink(_ url: String, _ route: ProxyRoute = .direct) throws -> TURNConnection {
  var list = ICEServerList()
  let server = try #require(list.add([ICEServer(urls: [url])]).relays.first)
  return TURNConnection(
    id: TURNConnectionID(rawValue: 1), server: server, tls: try TLSClient(), proxy: route.proxy(to: server.url))
}
