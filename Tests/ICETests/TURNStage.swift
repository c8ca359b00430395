import ICE
import MediaCore
import TestSupport

/// A TURN client, its server and the connection between them, in virtual time.
final class TURNStage {
  static let serverHost = address("192.0.2.1", 3_478)
  static let peer = address("198.51.100.7", 4_000)

  var client: TURNClient
  let server: TURNTestServer
  let crypto: SeededCrypto
  let isStream: Bool
  var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  /// What peers sent, as the client gave it.
  private(set) var received: [(peer: TransportAddress, bytes: [UInt8])] = []
  /// What the server sent to peers.
  private(set) var relayed: [(bytes: [UInt8], from: TransportAddress, to: TransportAddress)] = []
  /// Requests and indications that the client sent.
  private(set) var sentCount = 0
  /// Says whether the next message is lost.
  var isLost: () -> Bool = { false }
  /// The stream's pieces.
  var pieceSize = 7
  private var deframer = TURNDeframer()
  private var wire: [(at: MonotonicInstant, bytes: [UInt8], toServer: Bool)] = []

  init(isStream: Bool = false, password: String = "secret", wantsIPv6: Bool = false) {
    crypto = SeededCrypto(seed: 1)
    self.isStream = isStream
    server = TURNTestServer(host: Self.serverHost, crypto: crypto)
    client = TURNClient(
      username: "camera", password: password, isStream: isStream, wantsIPv6: wantsIPv6, crypto: crypto)
  }

  /// Starts the client and lets it get its allocation.
  func allocate() {
    client.start(now: now)
    drain()
    run(for: .seconds(1))
  }

  func run(for span: TimeSpan) {
    let end = now + span
    while let next = ([client.deadline] + wire.map(\.at)).min(), next <= end {
      now = max(now, next)
      deliver()
      if client.deadline <= now { client.handleTimeout(now: now) }
      drain()
    }
    now = end
  }

  /// Sends data of the client's to a peer.
  func send(_ bytes: [UInt8], to peer: TransportAddress = TURNStage.peer) {
    var storage = [UInt8](repeating: 0xEE, count: TURNClient.headroom) + bytes + [0xEE, 0xEE, 0xEE]
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    guard let range = client.wrap(&buffer, count: bytes.count, for: peer) else { return }
    transmit(Array(storage[range]))
    run(for: .milliseconds(50))
  }

  /// Has a peer send data to the relayed address.
  func sendBack(_ bytes: [UInt8], from peer: TransportAddress = TURNStage.peer) {
    guard let relayed = client.relayedAddress else { return }
    server.receive(bytes, from: peer, to: relayed, now: now) { _ in isStream }
    drain()
    run(for: .milliseconds(50))
  }

  func drain() {
    while let message = takeTransmit() { transmit(message) }
    for output in server.takeOutput() {
      switch output {
      case .client(_, let bytes): carry(bytes, toServer: false)
      case .peer(let bytes, let from, let to): relayed.append((bytes, from, to))
      }
    }
  }

  private func transmit(_ message: [UInt8]) {
    sentCount += 1
    carry(message, toServer: true)
  }

  private func carry(_ bytes: [UInt8], toServer: Bool) {
    if !isLost() { wire.append((now + .milliseconds(10), bytes, toServer)) }
  }

  private func takeTransmit() -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 1_500)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    return client.takeTransmit(into: &buffer).map { Array(storage[..<$0]) }
  }

  private func deliver() {
    let due = wire.filter { $0.at <= now }
    wire.removeAll { $0.at <= now }
    for (_, bytes, toServer) in due {
      if !toServer {
        receive(bytes)
      } else if isStream {
        server.receiveStream(bytes, over: 1, now: now)
      } else {
        server.receive(bytes, over: 1, now: now)
      }
    }
  }

  /// Hands the client octets from its server.
  func receive(_ bytes: [UInt8]) {
    guard isStream else { return receiveMessage(bytes) }
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
      receivePiece(Array(bytes[start..<min(start + pieceSize, bytes.count)]))
    }
  }

  private func receivePiece(_ piece: [UInt8]) {
    var offset = 0
    do {
      while try deframer.take(piece.span.bytes, from: &offset) {
        receiveMessage(deframer.withMessage { $0.bytes.copiedToArray() })
      }
    } catch {
      client.fail(.malformedStream)
    }
  }

  private func receiveMessage(_ bytes: [UInt8]) {
    guard let data = client.receive(bytes.span.bytes, now: now) else { return }
    received.append((data.peer, Array(bytes[data.octets])))
  }
}
