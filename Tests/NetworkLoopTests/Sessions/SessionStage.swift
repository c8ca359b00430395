import DTLSSRTP
import MediaCore
import PeerSession
import TestSupport
import Signalling
import Testing
import TransportCrypto

@testable import NetworkLoop

/// Sessions behind one address as the network thread has them, and their peers, in virtual time.
final class SessionStage {
  static let address = TransportAddress(ipv4: 0x0A00_0001, port: 5_000)
  /// Certificates take long to make, so all tests share two.
  static let engines = [try! DTLSEngine(identity: DTLSIdentity()), try! DTLSEngine(identity: DTLSIdentity())]

  var table = PeerSessionTable()
  private(set) var peers: [StagePeer] = []
  private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  private let outbox = StageOutbox()

  /// Has so many peers call.
  init(peers count: Int) throws {
    for number in 0..<count { try call(UInt64(number)) }
    run(for: .seconds(5))
    for running in table.all { try #require(running.session.statistics.isConnected) }
  }

  private func call(_ number: UInt64) throws {
    let peer = StagePeer(number, now: now)
    let session = try PeerSession(
      offer: peer.session.localDescription,
      configuration: PeerSessionConfiguration(
        localAddresses: [Self.address], publish: [.audio], subscribe: [.audio], cname: "device"),
      dependencies: PeerSessionDependencies(
        crypto: SeededCrypto(seed: number), dtls: Self.engines[0], protection: SRTPCrypto(), network: outbox,
        frames: ReceivedFrameFanOut()), now: now)
    table.insert(
      RunningSession(handle: SessionHandle(SessionID("\(number)")!), session: session, frames: ReceivedFrameFanOut()))
    try peer.session.accept(answer: session.localDescription, now: now)
    peers.append(peer)
  }

  // MARK: Time

  /// Lets time pass; datagrams arrive at once.
  func run(for span: TimeSpan) {
    let end = now + span
    while true {
      exchange()
      guard deadline <= end else { break }
      now = max(now, deadline)
      for session in sessions where session.deadline <= now { session.handleTimeout(now: now) }
    }
    now = end
  }

  private var sessions: [PeerSession] { table.all.map(\.session) + peers.map(\.session) }

  private var deadline: MonotonicInstant { sessions.map(\.deadline).min() ?? .distantFuture }

  private func exchange() {
    while true {
      for session in sessions { while session.takeEvent() != nil {} }
      let outgoing = outbox.take()
      let incoming = peers.flatMap { peer in peer.outbox.take().map { (peer, $0.bytes) } }
      if outgoing.isEmpty && incoming.isEmpty { return }
      for (bytes, target) in outgoing { peers.first { $0.address == target }?.receive(bytes, now: now) }
      for (peer, bytes) in incoming { receive(bytes, from: peer.address) }
    }
  }

  /// Lets a datagram arrive at the sessions' address.
  func receive(_ bytes: [UInt8], from source: TransportAddress) {
    var bytes = bytes
    var span = bytes.mutableSpan
    var datagram = span.mutableBytes
    table.receive(&datagram, from: source, to: Self.address, now: now)
  }

  // MARK: What the table knows

  /// How many packets a session tried to authenticate in vain.
  func refused(by index: Int) -> UInt64 { table.all[index].session.statistics.packetsRefused }

  func isKnown(_ address: TransportAddress) -> Bool { table.session(at: address) != nil }
}

/// A peer behind a NAT, which may move.
final class StagePeer {
  let session: PeerSession
  /// Where the peer is seen.
  var address: TransportAddress
  fileprivate let outbox = StageOutbox()
  private let inside: TransportAddress
  private let protection = KeyedProtection()

  fileprivate init(_ number: UInt64, now: MonotonicInstant) {
    inside = TransportAddress(ipv4: 0x0A00_0100 + UInt32(number), port: 6_000)
    address = inside
    session = PeerSession(
      offering: PeerSessionConfiguration(
        localAddresses: [inside], publish: [.audio], subscribe: [.audio], cname: "peer"),
      dependencies: PeerSessionDependencies(
        crypto: SeededCrypto(seed: number + 1_000), dtls: SessionStage.engines[1], protection: protection,
        network: outbox, frames: ReceivedFrameFanOut()), now: now)
  }

  fileprivate func receive(_ bytes: [UInt8], now: MonotonicInstant) {
    var bytes = bytes
    var span = bytes.mutableSpan
    var datagram = span.mutableBytes
    session.receive(&datagram, from: SessionStage.address, to: inside, now: now)
  }

  /// An authentic RTP packet of a source of the peer's.
  func packet(source: UInt32, number: UInt16) throws -> [UInt8] {
    var packet = plainPacket(source: source, number: number)
    let length = packet.count
    packet += Array(repeating: 0, count: maximumTrailerLength)
    var span = packet.mutableSpan
    var buffer = span.mutableBytes
    let count = try #require(protection.made).protectRTP(&buffer, length: length)
    return Array(packet.prefix(count))
  }
}

/// An RTP packet that nobody has protected (RFC 3550 §5.1).
func plainPacket(source: UInt32, number: UInt16 = 0) -> [UInt8] {
  [0x80, 111, UInt8(number >> 8), UInt8(truncatingIfNeeded: number), 0, 0, 0, 0]
    + (0..<4).map { UInt8(truncatingIfNeeded: source >> (24 - 8 * $0)) } + Array(repeating: 7, count: 30)
}

/// SRTP that a test can use beside the session that has it made.
private final class KeyedProtection: PacketProtectionMaking {
  private(set) var made: (any PacketProtection)?

  func makeProtection(_ keys: SRTPKeyingMaterial) throws(TransportCryptoError) -> any PacketProtection {
    let protection = try SRTPCrypto().makeProtection(keys)
    made = protection
    return protection
  }
}

/// Keeps what sessions send.
private final class StageOutbox: DatagramSink {
  typealias Datagram = (bytes: [UInt8], target: TransportAddress)
  private var datagrams: [Datagram] = []

  func send(_ octets: RawSpan, over link: TURNConnectionID) {}

  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    datagrams.append((datagram.copiedToArray(), remote))
  }

  func take() -> [Datagram] {
    defer { datagrams.removeAll() }
    return datagrams
  }
}
