import ICE
import MediaCore
import PeerSession
import TestSupport

/// A STUN and a TURN server in a call's network, and both sides' links to the latter.
final class RelayRig {
  static let turnAddress = TransportAddress(ipv4: 0xC000_0201, port: 3_478)
  static let stunAddress = TransportAddress(ipv4: 0xC000_0202, port: 3_478)
  /// How the STUN server sees the session.
  var reflexive = TransportAddress(ipv4: 0xCB00_7105, port: 41_000)
  private static let peerLink: UInt32 = 99

  let server: TURNTestServer
  private let crypto = SeededCrypto(seed: 77)
  private var peerClient: TURNClient?
  private var streams: Set<UInt32> = []

  /// - Parameter relaysPeer: the peer has a relayed address as well, and no other.
  init(relaysPeer: Bool = false) {
    server = TURNTestServer(host: Self.turnAddress, crypto: crypto)
    if relaysPeer { allocateForPeer() }
  }

  /// The peer's relayed address.
  var peerRelayed: TransportAddress? { peerClient?.relayedAddress }

  /// Opens one of the session's links.
  func open(
    _ link: UInt32, isStream: Bool, password: String = "secret", after predecessor: UInt32? = nil, in call: Call
  ) {
    if isStream { streams.insert(link) }
    call.session.openRelay(
      TURNConnectionID(rawValue: link),
      TURNServerEndpoint(address: Self.turnAddress, isStream: isStream, username: "camera", password: password),
      after: predecessor.map(TURNConnectionID.init(rawValue:)), now: call.now)
    call.drain()
  }

  private static func address(of link: UInt32) -> TransportAddress {
    TransportAddress(ipv4: 0x0A01_0000 + link, port: 40_000)
  }

  private static func link(at address: TransportAddress) -> UInt32? {
    address.port == 40_000 ? address.ipv4.map { $0 & 0xFFFF } : nil
  }
}

// MARK: - The network's side

extension RelayRig {
  /// Takes what is meant for a server or comes from one; false for everything else.
  func deliver(_ datagram: FlyingDatagram, in call: Call) -> Bool {
    if datagram.target == Self.stunAddress {
      call.network.carry(answer(datagram.bytes), from: Self.stunAddress, to: datagram.source, now: call.now)
    } else if datagram.target == Self.turnAddress, let link = Self.link(at: datagram.source) {
      receive(datagram.bytes, over: link, now: call.now)
    } else if server.owns(datagram.target) {
      relay(datagram.bytes, from: datagram.source, to: datagram.target, now: call.now)
    } else if let link = Self.link(at: datagram.target) {
      deliver(datagram.bytes, over: link, in: call)
    } else {
      return false
    }
    return true
  }

  private func receive(_ bytes: [UInt8], over link: UInt32, now: MonotonicInstant) {
    if streams.contains(link) {
      server.receiveStream(bytes, over: Int(link), now: now)
    } else {
      server.receive(bytes, over: Int(link), now: now)
    }
  }

  private func relay(_ bytes: [UInt8], from: TransportAddress, to: TransportAddress, now: MonotonicInstant) {
    server.receive(bytes, from: from, to: to, now: now) { streams.contains(UInt32($0)) }
  }

  /// A stream's octets come in pieces.
  private func deliver(_ bytes: [UInt8], over link: UInt32, in call: Call) {
    guard link != Self.peerLink else { return deliverToPeer(bytes, in: call) }
    guard streams.contains(link) else { return call.inject(bytes, over: TURNConnectionID(rawValue: link)) }
    for start in stride(from: 0, to: bytes.count, by: 333) {
      call.inject(Array(bytes[start..<min(start + 333, bytes.count)]), over: TURNConnectionID(rawValue: link))
    }
  }

  /// Carries what the session sends over a link.
  func carry(_ bytes: [UInt8], over link: TURNConnectionID, now: MonotonicInstant, _ network: inout VirtualNetwork) {
    carry(bytes, from: Self.address(of: link.rawValue), to: Self.turnAddress, link.rawValue, now: now, &network)
  }

  private func carry(
    _ bytes: [UInt8], from: TransportAddress, to: TransportAddress, _ link: UInt32, now: MonotonicInstant,
    _ network: inout VirtualNetwork
  ) {
    if streams.contains(link) {
      network.carryReliably(bytes, from: from, to: to, now: now)
    } else {
      network.carry(bytes, from: from, to: to, now: now)
    }
  }

  /// Carries what the server has to send.
  func flush(now: MonotonicInstant, _ network: inout VirtualNetwork) {
    var outputs = server.takeOutput()
    while !outputs.isEmpty {
      for output in outputs {
        switch output {
        case .client(let link, let bytes):
          let target = Self.address(of: UInt32(link))
          carry(bytes, from: Self.turnAddress, to: target, UInt32(link), now: now, &network)
        case .peer(let bytes, let from, let to) where server.owns(to): relay(bytes, from: from, to: to, now: now)
        case .peer(let bytes, let from, let to): network.carry(bytes, from: from, to: to, now: now)
        }
      }
      outputs = server.takeOutput()
    }
  }

  private func answer(_ request: [UInt8]) -> [UInt8] {
    guard let message = try? STUNMessage(request.span.bytes) else { return [] }
    var storage = [UInt8](repeating: 0, count: 100)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    guard
      var writer = try? STUNMessageWriter(.successResponse, .binding, message.header.transactionID, to: &buffer),
      (try? writer.appendMappedAddress(reflexive, to: &buffer)) != nil
    else { return [] }
    return Array(storage[..<writer.count])
  }
}

// MARK: - The peer's side

extension RelayRig {
  /// Gets the peer its address before the call begins.
  private func allocateForPeer() {
    let now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    peerClient = TURNClient(username: "camera", password: "secret", isStream: false, crypto: crypto)
    peerClient?.start(now: now)
    for _ in 0..<2 {
      for request in takeRequests() { server.receive(request, over: Int(Self.peerLink), now: now) }
      for case .client(_, let bytes) in server.takeOutput() { _ = peerClient?.receive(bytes.span.bytes, now: now) }
    }
  }

  private func takeRequests() -> [[UInt8]] {
    var requests: [[UInt8]] = []
    var storage = [UInt8](repeating: 0, count: 1_500)
    while true {
      var span = storage.mutableSpan
      var buffer = span.mutableBytes
      guard let count = peerClient?.takeTransmit(into: &buffer) else { return requests }
      requests.append(Array(storage[..<count]))
    }
  }

  private func deliverToPeer(_ bytes: [UInt8], in call: Call) {
    guard let data = peerClient?.receive(bytes.span.bytes, now: call.now) else { return }
    call.peer.receive(Array(bytes[data.octets]), from: data.peer, now: call.now)
  }

  /// Carries what the peer sends, if it has a relayed address.
  func carryFromPeer(
    _ bytes: [UInt8], to remote: TransportAddress, now: MonotonicInstant, _ network: inout VirtualNetwork
  ) -> Bool {
    guard peerClient != nil else { return false }
    peerClient?.permit(remote, now: now)
    sendRequests(now: now, &network)
    var storage = [UInt8](repeating: 0, count: TURNClient.headroom) + bytes + [0, 0, 0]
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    guard let range = peerClient?.wrap(&buffer, count: bytes.count, for: remote) else { return true }
    network.carry(Array(storage[range]), from: Self.address(of: Self.peerLink), to: Self.turnAddress, now: now)
    return true
  }

  private func sendRequests(now: MonotonicInstant, _ network: inout VirtualNetwork) {
    for request in takeRequests() {
      network.carry(request, from: Self.address(of: Self.peerLink), to: Self.turnAddress, now: now)
    }
  }

  var deadline: MonotonicInstant { peerClient?.deadline ?? .distantFuture }

  func handleTimeout(now: MonotonicInstant, _ network: inout VirtualNetwork) {
    peerClient?.handleTimeout(now: now)
    sendRequests(now: now, &network)
  }
}

extension Call {
  /// A call whose session is told of servers, and the servers.
  static func withServers() throws -> (Call, RelayRig) {
    var setup = Setup()
    setup.isReal = false
    let rig = RelayRig()
    setup.servers = rig
    return (try Call(setup), rig)
  }

  /// What the session has gathered and told, in order.
  var gatheredCandidates: [String] {
    events.compactMap { if case .candidateGathered(let text) = $0.event { text } else { nil } }
  }
}
