import MediaCore
import TransportCrypto

/// The way out of a session: room for one packet, its protection, and the path that ICE selected.
///
/// Confined to the session's thread.
@safe
final class PacketOutput {
  /// Path MTU of 1,200 as WebRTC assumes, and the trailer.
  static let maximumPacket = 1_200
  private static let capacity = 1_500 + maximumTrailerLength

  private let memory: UnsafeMutableRawPointer
  private let network: any DatagramSink
  var protection: (any PacketProtection)?
  var path: (local: TransportAddress, remote: TransportAddress)?
  private(set) var packetCount: UInt64 = 0
  private(set) var byteCount: UInt64 = 0

  init(network: any DatagramSink) {
    unsafe memory = .allocate(byteCount: Self.capacity, alignment: 16)
    self.network = network
  }

  deinit { unsafe memory.deallocate() }

  var isOpen: Bool { protection != nil && path != nil }

  /// Lets `write` fill the buffer with an RTP packet (nil: there is none), protects and sends it.
  ///
  /// - Returns: the packet's length before protection, or nil when nothing was written.
  func sendRTP(_ write: (inout MutableRawSpan) throws(InsufficientSpace) -> Int?) -> Int? {
    send(write) { (protection, buffer, length) throws(PacketProtectionError) in
      try protection.protectRTP(&buffer, length: length)
    }
  }

  /// As ``sendRTP(_:)`` for a compound RTCP packet.
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
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory, count: Self.capacity)
    var bytes = unsafe buffer.mutableBytes
    guard let length = try? write(&bytes), length > 0, let count = try? protect(protection, &bytes, length) else {
      return nil
    }
    network.send(bytes.bytes.extracting(0..<count), from: path.local, to: path.remote)
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
  func sendPlain(_ write: (inout MutableRawSpan) -> Plain?) -> TransportAddress? {
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory, count: Self.capacity)
    var bytes = unsafe buffer.mutableBytes
    guard let datagram = write(&bytes) else { return nil }
    network.send(bytes.bytes.extracting(0..<datagram.count), from: datagram.local, to: datagram.remote)
    return datagram.remote
  }
}
