import Glibc
import MediaCore
import Testing

@testable import NetworkLoop

@Suite struct SendBatchTests {
  private static let loopbacks = [
    TransportAddress(ipv4: 0x7F00_0001, port: 0), TransportAddress(ipv6: 0, 1, port: 0),
  ]
  /// Nobody may send there without asking for it: EACCES.
  private static let forbidden = TransportAddress(ipv4: 0xFFFF_FFFF, port: 9)

  @Test(arguments: loopbacks)
  func `datagrams arrive whole and in order, whatever their lengths`(loopback: TransportAddress) throws {
    let (sender, receiver) = (try UDPSocket(loopback), try UDPSocket(loopback))
    // Equal ones, a shorter end, longer ones again, and more than one batch holds.
    let lengths = [1_100, 1_100, 1_100, 700, 900, 1_100, 1_100, 12, 1_200] + (0..<100).map { 1 + $0 * 37 % 1_200 }
    for length in lengths { sender.send(count: length, to: receiver.address) }
    sender.flush()
    #expect(receiver.takeAll().map(\.octets) == lengths.map { Array(pattern.prefix($0)) })
    #expect(sender.failures.count == 0)
  }

  @Test(arguments: loopbacks)
  func `a socket for all addresses tells and chooses the address of this side`(loopback: TransportAddress) throws {
    let wildcard = loopback.isIPv6 ? TransportAddress(ipv6: 0, 0, port: 0) : TransportAddress(ipv4: 0, port: 0)
    let (server, client) = (try UDPSocket(wildcard), try UDPSocket(loopback))
    var asked = loopback
    // Any address of the net is local there.
    if !loopback.isIPv6 { asked = TransportAddress(ipv4: 0x7F00_0005, port: 0) }
    asked.port = server.address.port
    client.send(count: 20, to: asked)
    client.flush()
    let question = try #require(server.takeAll().first)
    #expect(question.target == asked)
    #expect(question.source == client.address)
    server.send(count: 20, to: client.address, from: asked)
    server.flush()
    #expect(client.takeAll().map(\.source) == [asked])
  }

  @Test func `datagrams to different peers keep their order`() throws {
    let sender = try UDPSocket(Self.loopbacks[0])
    let receivers = [try UDPSocket(Self.loopbacks[0]), try UDPSocket(Self.loopbacks[0])]
    for index in 0..<90 {
      let receiver = receivers[index / 3 % 2]
      sender.send(count: 1_000 - index, to: receiver.address)
    }
    sender.flush()
    for (index, receiver) in receivers.enumerated() {
      let expected = (0..<90).filter { $0 / 3 % 2 == index }.map { 1_000 - $0 }
      #expect(receiver.takeAll().map(\.octets.count) == expected)
    }
  }

  @Test func `a refused datagram is lost alone, counted, and told once`() throws {
    let (sender, receiver) = (try UDPSocket(Self.loopbacks[0]), try UDPSocket(Self.loopbacks[0]))
    for _ in 0..<2 {
      sender.send(count: 500, to: receiver.address)
      for _ in 0..<3 { sender.send(count: 400, to: Self.forbidden) }
      sender.send(count: 300, to: receiver.address)
      sender.send(count: 300, to: receiver.address)
      sender.flush()
    }
    #expect(receiver.takeAll().map(\.octets.count) == [500, 300, 300, 500, 300, 300])
    #expect(sender.failures.count == 6)
    #expect(sender.failures.takeUnreported() == EACCES)
    #expect(sender.failures.takeUnreported() == nil)
  }

  @Test func `a notice says what is lost and why`() {
    let notice = NetworkNotice.datagramsRefused(by: TransportAddress(ipv4: 0, port: 5_000), errno: ENETUNREACH)
    #expect(notice.description.contains("0.0.0.0:5000"))
    #expect(notice.description.contains("Network is unreachable"))
  }
}

private let pattern = (0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

extension UDPSocket {
  fileprivate func send(count: Int, to remote: TransportAddress, from local: TransportAddress? = nil) {
    send(pattern.span.bytes.extracting(0..<count), from: local ?? address, to: remote)
  }
}

/// A datagram that was received.
struct ReceivedDatagram {
  var octets: [UInt8]
  var source: TransportAddress
  var target: TransportAddress
}

extension UDPSocket {
  /// What has arrived so far.
  func takeAll() -> [ReceivedDatagram] {
    var datagrams: [ReceivedDatagram] = []
    var mayHaveMore = true
    while mayHaveMore {
      mayHaveMore = receive { bytes, source, target in
        datagrams.append(ReceivedDatagram(octets: bytes.bytes.copied, source: source, target: target))
      }
    }
    return datagrams
  }
}

extension RawSpan {
  fileprivate var copied: [UInt8] { withUnsafeBytes { Array($0) } }
}
