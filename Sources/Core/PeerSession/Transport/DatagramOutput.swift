import ICE
import MediaCore
import TransportCrypto

/// The way out of a transport: a buffer for one datagram, its protection, and the path that ICE selected.
///
/// Before the datagram is headroom for TURN framing, so that one that leaves through a relay is not
/// copied.
///
/// Confined to the session's thread.
@safe
final class DatagramOutput {
  private static let headroom = TURNClient.headroom
  private static let packetCapacity = 1_500 + maximumTrailerLength
  private static let capacity = headroom + packetCapacity + TURNClient.tailroom

  private let memory: UnsafeMutableRawPointer
  private let network: any DatagramSink
  private let relays: TURNAllocations
  /// Nil until DTLS has made the keys.
  var protection: (any PacketProtection)?
  /// Nil while there is none that works.
  var path: (local: TransportAddress, remote: TransportAddress)?

  init(network: any DatagramSink, relays: TURNAllocations) {
    unsafe memory = .allocate(byteCount: Self.capacity, alignment: 16)
    self.network = network
    self.relays = relays
  }

  deinit { unsafe memory.deallocate() }

  /// Whether a protected packet would leave.
  var isOpen: Bool { protection != nil && path != nil }

  /// Lets `write` fill the buffer with a packet (nil: there is none), protects it and sends it over the path.
  ///
  /// - Returns: the packet's length before and after protection, or nil when nothing was sent.
  func sendProtected(
    _ write: (inout MutableRawSpan) throws(InsufficientSpace) -> Int?,
    protect: (any PacketProtection, inout MutableRawSpan, Int) throws(PacketProtectionError) -> Int
  ) -> (length: Int, protectedLength: Int)? {
    guard let protection, let path else { return nil }
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory + Self.headroom, count: Self.packetCapacity)
    var bytes = unsafe buffer.mutableBytes
    guard let length = try? write(&bytes), length > 0, let count = try? protect(protection, &bytes, length) else {
      return nil
    }
    transmit(bytes.bytes.extracting(0..<count), from: path.local, to: path.remote)
    return (length, count)
  }

  /// A datagram that `sendPlain` is to send.
  struct Plain {
    var count: Int
    var local: TransportAddress
    var remote: TransportAddress
  }

  /// Sends the datagrams that need no protection (STUN, DTLS) as long as `write` has one.
  func sendPlain(_ write: (inout MutableRawSpan) -> Plain?) {
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory + Self.headroom, count: Self.packetCapacity)
    var bytes = unsafe buffer.mutableBytes
    while let datagram = write(&bytes) {
      transmit(bytes.bytes.extracting(0..<datagram.count), from: datagram.local, to: datagram.remote)
    }
  }
}

// MARK: - TURN allocations

extension DatagramOutput {
  /// Sends the memory's content, through the relay whose address `local` is or from a shared socket.
  private func transmit(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    guard let relay = relays.relay(at: local) else { return network.send(datagram, from: local, to: remote) }
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory, count: Self.capacity)
    var bytes = unsafe buffer.mutableBytes
    guard let message = relay.client.wrap(&bytes, count: datagram.byteCount, for: remote) else { return }
    network.send(bytes.bytes.extracting(message), over: relay.link)
  }

  /// Sends the requests that a relay's client has made.
  func sendRequests(of relay: TURNAllocation) {
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory, count: Self.capacity)
    var bytes = unsafe buffer.mutableBytes
    while let count = relay.client.takeTransmit(into: &bytes) {
      network.send(bytes.bytes.extracting(0..<count), over: relay.link)
    }
  }
}
