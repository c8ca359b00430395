import CongestionControl
import ICE
import MediaCore
import TransportCrypto

/// The way out of a session: room for one packet, its protection, and the path that ICE selected.
///
/// Before the packet is room for what a TURN server wants there, so that one that leaves through a relay is not copied.
///
/// Confined to the session's thread.
@safe
final class PacketOutput {
  /// Path MTU of 1,200 as WebRTC assumes, and the trailer.
  static let maximumPacket = 1_200
  private static let headroom = TURNClient.headroom
  private static let packetCapacity = 1_500 + maximumTrailerLength
  private static let capacity = headroom + packetCapacity + TURNClient.tailroom

  private let memory: UnsafeMutableRawPointer
  private let network: any DatagramSink
  private let relays: Relays
  var protection: (any PacketProtection)?
  var path: (local: TransportAddress, remote: TransportAddress)?
  private(set) var packetCount: UInt64 = 0
  private(set) var byteCount: UInt64 = 0
  var sendController: SendController

  init(network: any DatagramSink, relays: Relays, sendController: consuming SendController) {
    unsafe memory = .allocate(byteCount: Self.capacity, alignment: 16)
    self.network = network
    self.relays = relays
    self.sendController = sendController
  }

  deinit { unsafe memory.deallocate() }

  var isOpen: Bool { protection != nil && path != nil }

  /// Lets `write` fill the buffer with an RTP packet (nil: there is none), protects and sends it.
  ///
  /// - Parameters:
  ///   - isNumbered: the packet carries ``SendController/nextTransportNumber``.
  ///   - probe: the id of the probe that the packet is part of, or 0.
  /// - Returns: the packet's length before protection, or nil when nothing was written.
  func sendRTP(
    isNumbered: Bool, probe: UInt16 = 0, now: MonotonicInstant,
    _ write: (inout MutableRawSpan) throws(InsufficientSpace) -> Int?
  ) -> Int? {
    let length = send(write) { (protection, buffer, length) throws(PacketProtectionError) in
      try protection.protectRTP(&buffer, length: length)
    }
    guard let length else { return nil }
    sendController.note(length, isNumbered: isNumbered, probe: probe, now: now)
    return length
  }

  /// As ``sendRTP(isNumbered:probe:now:_:)`` for a compound RTCP packet, which is neither numbered nor paced.
  @discardableResult
  func sendRTCP(_ write: (inout MutableRawSpan) throws(InsufficientSpace) -> Int?) -> Int? {
    send(write) { (protection, buffer, length) throws(PacketProtectionError) in
      try protection.protectRTCP(&buffer, length: length)
    }
  }

  private func send(
    _ write: (inout MutableRawSpan) throws(InsufficientSpace) -> Int?,
    protect: (any PacketProtection, inout MutableRawSpan, Int) throws(PacketProtectionError) -> Int
  ) -> Int? {
    guard let protection, let path else { return nil }
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory + Self.headroom, count: Self.packetCapacity)
    var bytes = unsafe buffer.mutableBytes
    guard let length = try? write(&bytes), length > 0, let count = try? protect(protection, &bytes, length) else {
      return nil
    }
    transmit(bytes.bytes.extracting(0..<count), from: path.local, to: path.remote)
    packetCount += 1
    byteCount += UInt64(count)
    return length
  }

  /// A datagram that `sendPlain` is to send.
  struct Plain {
    var count: Int
    var local: TransportAddress
    var remote: TransportAddress
  }

  /// Sends a datagram that needs no protection (STUN, DTLS), written by `write`; returns where it went.
  @discardableResult
  func sendPlain(_ write: (inout MutableRawSpan) -> Plain?) -> TransportAddress? {
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory + Self.headroom, count: Self.packetCapacity)
    var bytes = unsafe buffer.mutableBytes
    guard let datagram = write(&bytes) else { return nil }
    transmit(bytes.bytes.extracting(0..<datagram.count), from: datagram.local, to: datagram.remote)
    return datagram.remote
  }
}

// MARK: - Relays

extension PacketOutput {
  /// Sends what lies in the memory, through the relay whose address `local` is or from a shared socket.
  private func transmit(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    guard let relay = relays.relay(at: local) else { return network.send(datagram, from: local, to: remote) }
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory, count: Self.capacity)
    var bytes = unsafe buffer.mutableBytes
    guard let message = relay.client.wrap(&bytes, count: datagram.byteCount, for: remote) else { return }
    network.send(bytes.bytes.extracting(message), over: relay.link)
  }

  /// Sends the requests that a relay's client has made.
  func sendRequests(of relay: Relay) {
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory, count: Self.capacity)
    var bytes = unsafe buffer.mutableBytes
    while let count = relay.client.takeTransmit(into: &bytes) {
      network.send(bytes.bytes.extracting(0..<count), over: relay.link)
    }
  }
}
