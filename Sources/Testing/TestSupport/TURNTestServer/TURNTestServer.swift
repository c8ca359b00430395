public import MediaCore
public import TransportCrypto

/// A TURN server (RFC 8656) for tests, in virtual time, written apart from the client that it tests.
///
/// It insists on integrity, nonces, permissions, channels and life times. Connections are numbers that the test gives.
public final class TURNTestServer {
  /// What a test varies.
  public struct Rules {
    public var realm = "example.org"
    public var username = "camera"
    public var password = "secret"
    public var lifetime: Int64 = 600
    /// Families that it relays.
    public var relaysIPv4 = true
    public var relaysIPv6 = false
    /// The error with which an allocation is refused.
    public var refusal: Int?
    /// The error with which a refresh is refused.
    public var refreshRefusal: Int?
    /// Peers that nothing is sent to (403).
    public var forbidden: [TransportAddress] = []
    public var isSilent = false

    public init() {}
  }

  /// Its output.
  public enum Output {
    case client(connection: Int, bytes: [UInt8])
    case peer(bytes: [UInt8], from: TransportAddress, to: TransportAddress)
  }

  /// Its counters.
  public struct Counts {
    public var allocations = 0
    public var refreshes = 0
    public var releases = 0
    public var permissions = 0
    public var channelBinds = 0
    public var staleNonces = 0
    public var refusedCredentials = 0
    public var sendIndications = 0
    public var channelDataIn = 0
    public var channelDataOut = 0
    /// Data to or from peers without permission.
    public var unpermitted = 0
    /// What a client must never send.
    public var offences: [String] = []
  }

  public var rules = Rules()
  public private(set) var outbox: [Output] = []
  public internal(set) var counts = Counts()
  let host: TransportAddress
  let crypto: any CryptoPrimitives
  var allocations: [Int: Allocation] = [:]
  var nonce = 1
  private var streams: [Int: [UInt8]] = [:]
  private var nextPort: UInt16 = 50_000

  /// A connection's state.
  struct Allocation {
    let relayed: TransportAddress
    var expiry: MonotonicInstant
    /// The answer to the request that made it, in case that is repeated.
    var answer: (id: [UInt8], bytes: [UInt8])
    /// Until when, by address without port.
    var permissions: [TransportAddress: MonotonicInstant] = [:]
    var channels: [Int: (peer: TransportAddress, expiry: MonotonicInstant)] = [:]
  }

  /// - Parameter host: whose address relayed addresses share; the port does not matter.
  public init(host: TransportAddress, crypto: any CryptoPrimitives) {
    self.host = host
    self.crypto = crypto
  }

  /// From now on, requests with the nonce of before are answered with 438.
  public func makeNoncesStale() { nonce += 1 }

  /// Forgets an allocation, as a server does that was restarted.
  public func forget(_ connection: Int) { allocations[connection] = nil }

  public func relayedAddress(of connection: Int) -> TransportAddress? { allocations[connection]?.relayed }

  public func owns(_ address: TransportAddress) -> Bool { allocations.values.contains { $0.relayed == address } }

  public func takeOutput() -> [Output] {
    defer { outbox.removeAll() }
    return outbox
  }

  func emit(_ output: Output) { outbox.append(output) }

  func makeRelayed(isIPv6: Bool) -> TransportAddress {
    nextPort += 1
    return isIPv6
      ? TransportAddress(ipv6: 0x2001_0DB8_0000_0000, 1, port: nextPort)
      : TransportAddress(ipv4: host.ipv4 ?? 0, port: nextPort)
  }
}

// MARK: - Input

extension TURNTestServer {
  /// Takes one datagram of a client.
  public func receive(_ datagram: [UInt8], over connection: Int, now: MonotonicInstant) {
    guard !rules.isSilent else { return }
    expire(now: now)
    if let first = datagram.first, first >= 0x40, first < 0x50 {
      receiveChannelData(datagram, over: connection, now: now)
    } else if let message = WireMessage(datagram) {
      receive(message, over: connection, now: now)
    } else {
      counts.offences.append("neither STUN nor ChannelData")
    }
  }

  /// Takes the next octets of a client's stream.
  public func receiveStream(_ octets: [UInt8], over connection: Int, now: MonotonicInstant) {
    var buffer = streams[connection, default: []] + octets
    while buffer.count >= 4 {
      let isChannel = buffer[0] >= 0x40
      let length = isChannel ? 4 + (buffer.word(at: 2) + 3) / 4 * 4 : 20 + buffer.word(at: 2)
      guard buffer.count >= length else { break }
      receive(Array(buffer[..<length]), over: connection, now: now)
      buffer.removeFirst(length)
    }
    streams[connection] = buffer
  }

  /// Takes a peer's datagram to a relayed address.
  public func receive(
    _ datagram: [UInt8], from peer: TransportAddress, to relayed: TransportAddress, now: MonotonicInstant,
    isStream: (Int) -> Bool
  ) {
    expire(now: now)
    guard let (connection, allocation) = allocations.first(where: { $0.value.relayed == relayed }) else { return }
    guard allocation.permissions[peer.host] != nil else {
      counts.unpermitted += 1
      return
    }
    if let channel = allocation.channels.first(where: { $0.value.peer == peer })?.key {
      counts.channelDataOut += 1
      let padding = isStream(connection) ? [UInt8](repeating: 0, count: (4 - datagram.count % 4) % 4) : []
      let head = [UInt8(channel >> 8), UInt8(channel & 255), UInt8(datagram.count >> 8), UInt8(datagram.count & 255)]
      emit(.client(connection: connection, bytes: head + datagram + padding))
    } else {
      var message = WireMessage(
        type: 0x0017, id: (0..<12).map { _ in UInt8(truncatingIfNeeded: crypto.randomUInt64()) })
      message.attributes = [(Wire.peerAddress, Wire.coded(peer, id: message.id)), (Wire.data, datagram)]
      emit(.client(connection: connection, bytes: message.bytes(crypto)))
    }
  }

  private func receiveChannelData(_ message: [UInt8], over connection: Int, now: MonotonicInstant) {
    guard let allocation = allocations[connection], let channel = allocation.channels[message.word(at: 0)] else {
      counts.offences.append("data on a channel that is not bound")
      return
    }
    let length = message.word(at: 2)
    guard message.count >= 4 + length else { return counts.offences.append("cut ChannelData") }
    counts.channelDataIn += 1
    send(Array(message[4..<4 + length]), to: channel.peer, allocation)
  }

  func send(_ data: [UInt8], to peer: TransportAddress, _ allocation: Allocation) {
    guard allocation.permissions[peer.host] != nil else {
      counts.unpermitted += 1
      return
    }
    emit(.peer(bytes: data, from: allocation.relayed, to: peer))
  }

  private func expire(now: MonotonicInstant) {
    for (connection, allocation) in allocations {
      guard allocation.expiry > now else {
        allocations[connection] = nil
        continue
      }
      allocations[connection]?.permissions = allocation.permissions.filter { $0.value > now }
      allocations[connection]?.channels = allocation.channels.filter { $0.value.expiry > now }
    }
  }
}

extension TransportAddress {
  /// Without the port.
  var host: TransportAddress {
    var address = self
    address.port = 0
    return address
  }
}
